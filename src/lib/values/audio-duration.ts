import { parseFromTokenizer } from "music-metadata";
import { AbstractTokenizer, EndOfStreamError, type IReadChunkOptions } from "strtok3";

/** What is assumed of files whose length cannot be read: 32 kbit/s, below which speech is seldom sent. */
const ASSUMED_BYTES_PER_SECOND = 4_000;
/** No speech codec needs less than 400 bit/s: a header that claims a longer recording than that is wrong. */
const MIN_BYTES_PER_SECOND = 50;
/** Lossy audio needs at most 512 kbit/s: a header that claims a shorter recording than that is wrong. */
const MAX_LOSSY_BYTES_PER_SECOND = 64_000;
/** Bounds the CPU time that one file can take: MP3 without a header of its length is read frame by frame. */
const MAX_READS = 50_000;
const WINDOW_BYTES = 16_384;
/** The largest single piece that a parser may ask for, such as the sample tables of an MP4 file. */
const MAX_PIECE_BYTES = 8 * 1024 * 1024;

/**
 * How long an audio file plays, in seconds, by its content: the type and name that the client gave do not matter. Files that
 * state no length are read frame by frame, very long ones in part. What cannot be read at all is estimated by its size. Never
 * rejects because of the file's content.
 */
export async function audioSeconds(file: Blob): Promise<number> {
  const tokenizer = new BoundedTokenizer(file);
  const options = { duration: true, skipCovers: true, skipPostHeaders: true };
  const format = await parseFromTokenizer(tokenizer, options).then(
    (metadata) => metadata.format,
    () => null,
  );
  const read = format?.duration ?? 0;
  if (!(read > 0)) return (await pipedWavSeconds(file)) ?? file.size / ASSUMED_BYTES_PER_SECOND;
  // Cut short, the parser has counted what was read until then; the rest of the file plays at the same rate.
  const seconds = tokenizer.isSpent ? read * (file.size / tokenizer.position) : read;
  const least = format?.lossless === false ? file.size / MAX_LOSSY_BYTES_PER_SECOND : 0;
  return Math.min(Math.max(seconds, least), file.size / MIN_BYTES_PER_SECOND);
}

/**
 * The length of a WAV file that was written to a pipe: its sizes are 0, because the writer could not go back to them, but its
 * bytes a second are known (http://soundfile.sapp.org/doc/WaveFormat/). Null: the file is something else.
 */
async function pipedWavSeconds(file: Blob): Promise<number | null> {
  const head = await file.slice(0, WAV_HEADER_BYTES).bytes();
  const text = new TextDecoder("latin1").decode(head);
  if (head.length < WAV_HEADER_BYTES || !/^RIFF.{4}WAVEfmt /s.test(text)) return null;
  const bytesPerSecond = new DataView(head.buffer).getUint32(BYTES_PER_SECOND_AT, true);
  if (bytesPerSecond < MIN_BYTES_PER_SECOND || bytesPerSecond > MAX_WAV_BYTES_PER_SECOND) return null;
  return (file.size - WAV_HEADER_BYTES) / bytesPerSecond;
}

const WAV_HEADER_BYTES = 44;
const BYTES_PER_SECOND_AT = 28;
/** Eight channels of 32 bits at 192 kHz. */
const MAX_WAV_BYTES_PER_SECOND = 6_144_000;

/** Reads a file through a window in memory and pretends that it ends where its reads are used up. */
class BoundedTokenizer extends AbstractTokenizer {
  readonly fileInfo: { size: number };
  readonly #file: Blob;
  #window = new Uint8Array();
  #windowStart = 0;
  #reads = 0;

  constructor(file: Blob) {
    super({ maxBufferSize: MAX_PIECE_BYTES });
    this.#file = file;
    this.fileInfo = { size: file.size };
  }

  /** True when the file was not read to its end. */
  get isSpent(): boolean {
    return this.#reads > MAX_READS;
  }

  supportsRandomAccess(): boolean {
    return true;
  }

  setPosition(position: number): void {
    this.position = position;
  }

  override ignore(length: number): Promise<number> {
    this.#count();
    return super.ignore(length);
  }

  async readBuffer(buffer: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    const { position } = this.normalizeOptions(buffer, options);
    const read = await this.peekBuffer(buffer, options);
    this.position = position + read;
    return read;
  }

  async peekBuffer(buffer: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    this.#count();
    const { position, length, mayBeLess } = this.normalizeOptions(buffer, options);
    const end = Math.min(this.#file.size, position + length);
    if (end < position + length && mayBeLess !== true) throw new EndOfStreamError();
    if (end <= position) return 0;
    if (position < this.#windowStart || end > this.#windowStart + this.#window.length) {
      this.#window = await this.#file.slice(position, Math.max(end, position + WINDOW_BYTES)).bytes();
      this.#windowStart = position;
    }
    buffer.set(this.#window.subarray(position - this.#windowStart, end - this.#windowStart));
    return end - position;
  }

  #count(): void {
    this.#reads += 1;
    if (this.isSpent) throw new EndOfStreamError();
  }
}
