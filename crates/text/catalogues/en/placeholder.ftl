Waits = ⏳ This comes after what I am doing now. It may be answered together with a later message.
Silent = ⏸️ No answer for now.
Below = ⤵️ This takes longer. I answer below.
