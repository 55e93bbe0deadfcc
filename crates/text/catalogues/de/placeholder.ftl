Waits = ⏳ Das kommt nach dem dran, was ich gerade tue. Vielleicht beantworte ich es zusammen mit einer späteren Nachricht.
Silent = ⏸️ Vorerst keine Antwort.
Below = ⤵️ Das dauert länger. Ich antworte weiter unten.
