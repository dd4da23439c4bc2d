#!/bin/sh
# Makes the recordings of this folder with ffmpeg: six seconds, of which the first is noise, so that the bit rate varies.
# cspell:words lavfi aevalsrc bitexact libmp3lame libmp movflags moov libopus
set -eu
cd "$(dirname "$0")"

record() {
  output=$1
  shift
  ffmpeg -hide_banner -loglevel error -y -f lavfi -i 'aevalsrc=random(0)*0.5*lt(t\,1):s=8000:d=6' -bitexact "$@" - >"$output.part"
  mv "$output.part" "$output"
}

# Formats whose header is written last need a file that can be sought in.
record_file() {
  output=$1
  shift
  ffmpeg -hide_banner -loglevel error -y -f lavfi -i 'aevalsrc=random(0)*0.5*lt(t\,1):s=8000:d=6' -bitexact "$@" "$output"
}

record_file vbr.mp3 -c:a libmp3lame -q:a 9
record no-header.mp3 -c:a libmp3lame -q:a 9 -write_xing 0 -id3v2_version 0 -f mp3
record_file aac.m4a -c:a aac -b:a 8k
record fragmented.m4a -c:a aac -b:a 8k -movflags frag_keyframe+empty_moov -f mp4
record_file opus.ogg -c:a libopus -b:a 6k
record_file opus.webm -c:a libopus -b:a 6k
record live.webm -c:a libopus -b:a 6k -f webm
record_file noise.flac -c:a flac -ar 2000
