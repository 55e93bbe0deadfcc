#!/usr/bin/env python3
"""A server for voices on one machine: Whisper writes down, Piper speaks, both through OpenAI's routes.

Usage: voice-server.py WHISPER PIPER [PORT]
WHISPER is a model of faster-whisper (a name such as `small`, or a directory), PIPER the .onnx file of a voice.
Needs the packages faster-whisper and piper-tts, and the program ffmpeg.
"""

import io
import json
import subprocess
import sys
import wave
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

from faster_whisper import WhisperModel
from piper import PiperVoice

LARGEST = 32 << 20
FORMATS = {
    "opus": ("audio/ogg", ["-c:a", "libopus", "-b:a", "32k", "-f", "ogg"]),
    "mp3": ("audio/mpeg", ["-f", "mp3"]),
    "wav": ("audio/wav", ["-f", "wav"]),
}


def fields(content_type, body):
    """The parts of a form, by name."""
    head = f"Content-Type: {content_type}\r\n\r\n".encode()
    form = message_from_bytes(head + body, policy=policy.HTTP)
    parts = form.iter_parts() if form.is_multipart() else []
    return {part.get_param("name", header="content-disposition"): part.get_payload(decode=True) for part in parts}


class Voices(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        if length > LARGEST:
            self.close_connection = True
            return self.answer(413, {"error": {"message": "the recording is too large"}})
        body = self.rfile.read(length)
        try:
            if self.path == "/v1/audio/transcriptions":
                return self.transcribe(fields(self.headers.get("Content-Type", ""), body))
            if self.path == "/v1/audio/speech":
                return self.speak(json.loads(body))
        except (KeyError, ValueError, subprocess.CalledProcessError) as error:
            return self.answer(400, {"error": {"message": f"failed to read the request: {error!r}"}})
        return self.answer(404, {"error": {"message": f"no such route: {self.path}"}})

    def transcribe(self, form):
        with LOCK:
            segments, _ = WHISPER.transcribe(io.BytesIO(form["file"]))
            text = "".join(segment.text for segment in segments).strip()
        self.answer(200, {"text": text})

    def speak(self, request):
        kind, options = FORMATS[request.get("response_format", "mp3")]
        spoken = io.BytesIO()
        with LOCK, wave.open(spoken, "wb") as recording:
            PIPER.synthesize_wav(request["input"], recording)
        command = ["ffmpeg", "-loglevel", "error", "-i", "pipe:0", *options, "pipe:1"]
        made = subprocess.run(command, input=spoken.getvalue(), capture_output=True, check=True)
        self.answer(200, made.stdout, kind)

    def answer(self, status, content, kind="application/json"):
        content = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    LOCK = Lock()
    WHISPER = WhisperModel(sys.argv[1], device="cpu", compute_type="int8")
    PIPER = PiperVoice.load(sys.argv[2])
    port = int(sys.argv[3]) if len(sys.argv) == 4 else 8000
    print(f"listening on http://127.0.0.1:{port}/v1", flush=True)
    ThreadingHTTPServer(("127.0.0.1", port), Voices).serve_forever()
