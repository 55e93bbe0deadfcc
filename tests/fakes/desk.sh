#!/bin/sh
# An MCP server for tests that tells what stands in the directory that it is started in: its tools in `tools.json`, and what
# the tool NAME returns in `NAME.json`, each one line of JSON.
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
while IFS= read -r line; do
  id=${line#*\"id\":}
  id=${id%%[,\}]*}
  case $line in
    *'"method":"initialize"'*)
      answer '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"desk","version":"1.0.0"}}' ;;
    *'"method":"tools/list"'*) answer "{\"tools\":$(cat tools.json)}" ;;
    *'"method":"ping"'*) answer '{}' ;;
    *'"method":"tools/call"'*)
      name=${line#*\"name\":\"}
      name=${name%%\"*}
      answer "{\"content\":[],\"structuredContent\":$(cat "$name.json")}" ;;
  esac
done
