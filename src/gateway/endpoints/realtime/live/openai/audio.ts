/** PCM of 16 bits, little-endian, one channel; the others are G.711 at 8 kHz. */
export type AudioFormat = Readonly<{ type: "audio/pcm" | "audio/pcmu" | "audio/pcma"; rate: number }>;

/** What OpenAI's sessions speak unless they are configured otherwise. */
export const PCM_24K: AudioFormat = { type: "audio/pcm", rate: 24_000 };
const G711_RATE_HZ = 8_000;

/** The format that a session names; null: OpenAI's API has no such format. */
export function audioFormatOf(type: unknown, rate: unknown): AudioFormat | null {
  if (type === "audio/pcmu" || type === "audio/pcma") return { type, rate: G711_RATE_HZ };
  return type === "audio/pcm" && (rate === undefined || rate === PCM_24K.rate) ? PCM_24K : null;
}

/** Bytes of a second of audio. */
export const bytesPerSecond = ({ type, rate }: AudioFormat): number => (type === "audio/pcm" ? 2 * rate : rate);

/** Converts a stream of audio, piece by piece; pieces may end within a sample. */
export class AudioConverter {
  readonly #rateConverter: RateConverter | null;
  #oddByte: Uint8Array = new Uint8Array();

  constructor(
    private readonly from: AudioFormat,
    private readonly to: AudioFormat,
  ) {
    this.#rateConverter = from.rate === to.rate ? null : new RateConverter(from.rate, to.rate);
  }

  /** Takes and returns base64. */
  convert(base64: string): string {
    const samples = this.#decode(Buffer.from(base64, "base64"));
    return this.#encode(this.#rateConverter?.resample(samples) ?? samples);
  }

  /** The rest of the stream, in base64. */
  end(): string {
    this.#oddByte = new Uint8Array();
    return this.#encode(this.#rateConverter?.end() ?? new Int16Array());
  }

  #decode(received: Uint8Array): Int16Array {
    if (this.from.type !== "audio/pcm")
      return Int16Array.from(received, this.from.type === "audio/pcmu" ? fromMuLaw : fromALaw);
    const bytes = this.#oddByte.length === 0 ? received : Buffer.concat([this.#oddByte, received]);
    const count = bytes.length >> 1;
    this.#oddByte = bytes.slice(2 * count);
    const view = new DataView(bytes.buffer, bytes.byteOffset, 2 * count);
    return Int16Array.from({ length: count }, (_, at) => view.getInt16(2 * at, true));
  }

  #encode(samples: Int16Array): string {
    if (this.to.type !== "audio/pcm")
      return Buffer.from(Uint8Array.from(samples, this.to.type === "audio/pcmu" ? toMuLaw : toALaw)).toString("base64");
    const bytes = Buffer.alloc(2 * samples.length);
    samples.forEach((sample, at) => void bytes.writeInt16LE(sample, 2 * at));
    return bytes.toString("base64");
  }
}

/** Zero crossings of the filter on each side: 16 attenuate what would alias by more than 60 dB. */
const ZERO_CROSSINGS = 16;
/** The filter passes this share of what the lower rate can hold, so that its slope ends there. */
const PASS_BAND = 0.92;

/** Resamples by a windowed low-pass filter, one precomputed filter for each position between two samples. */
class RateConverter {
  /** Outputs per `#step` inputs. */
  readonly #scale: number;
  readonly #step: number;
  readonly #halfWidth: number;
  readonly #filters: readonly Float64Array[];
  /** The last samples; the next output is at `#position / #scale` of them. */
  #tail: Int16Array;
  #position: number;

  constructor(fromHz: number, toHz: number) {
    const divisor = greatestDivisor(fromHz, toHz);
    this.#scale = toHz / divisor;
    this.#step = fromHz / divisor;
    const cutoff = PASS_BAND * Math.min(1, toHz / fromHz);
    this.#halfWidth = Math.ceil(ZERO_CROSSINGS / cutoff);
    this.#filters = Array.from({ length: this.#scale }, (_, phase) =>
      filterOf(phase / this.#scale, this.#halfWidth, cutoff),
    );
    this.#tail = new Int16Array(this.#halfWidth);
    this.#position = this.#halfWidth * this.#scale;
  }

  resample(samples: Int16Array): Int16Array {
    const input = new Int16Array(this.#tail.length + samples.length);
    input.set(this.#tail);
    input.set(samples, this.#tail.length);
    const output: number[] = [];
    let first = 0;
    for (; ; this.#position += this.#step) {
      first = Math.floor(this.#position / this.#scale) - this.#halfWidth + 1;
      if (first + 2 * this.#halfWidth > input.length) break;
      const filter = this.#filters[this.#position % this.#scale] ?? new Float64Array();
      let sum = 0;
      for (let at = 0; at < filter.length; at += 1) sum += (filter[at] ?? 0) * (input[first + at] ?? 0);
      output.push(Math.max(-32_768, Math.min(32_767, Math.round(sum))));
    }
    const used = Math.min(first, input.length);
    this.#tail = input.slice(used);
    this.#position -= used * this.#scale;
    return Int16Array.from(output);
  }

  /** What silence after the stream brings out; starts over. */
  end(): Int16Array {
    const rest = this.resample(new Int16Array(this.#halfWidth));
    this.#tail = new Int16Array(this.#halfWidth);
    this.#position = this.#halfWidth * this.#scale;
    return rest;
  }
}

/** The weights of the samples around a position `offset` after a sample; they add up to 1. */
function filterOf(offset: number, halfWidth: number, cutoff: number): Float64Array {
  const weights = Float64Array.from({ length: 2 * halfWidth }, (_, at) => {
    const distance = at - halfWidth + 1 - offset;
    const window =
      0.42 + 0.5 * Math.cos((Math.PI * distance) / halfWidth) + 0.08 * Math.cos((2 * Math.PI * distance) / halfWidth);
    const angle = Math.PI * cutoff * distance;
    return Math.abs(distance) > halfWidth ? 0 : window * (angle === 0 ? 1 : Math.sin(angle) / angle);
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));

/** G.711, https://www.itu.int/rec/T-REC-G.711 */
const MU_BIAS = 132;
const MU_CLIP = 32_635;

function toMuLaw(sample: number): number {
  const magnitude = Math.min(Math.abs(sample), MU_CLIP) + MU_BIAS;
  const segment = 24 - Math.clz32(magnitude);
  return ~((sample < 0 ? 0x80 : 0) | (segment << 4) | ((magnitude >> (segment + 3)) & 0x0f)) & 0xff;
}

function fromMuLaw(byte: number): number {
  const code = ~byte & 0xff;
  const magnitude = ((((code & 0x0f) << 3) + MU_BIAS) << ((code >> 4) & 0x07)) - MU_BIAS;
  return code & 0x80 ? -magnitude : magnitude;
}

function toALaw(sample: number): number {
  const magnitude = (sample < 0 ? ~sample : sample) >> 3;
  const segment = magnitude < 32 ? 0 : 27 - Math.clz32(magnitude);
  const code = (segment << 4) | ((magnitude >> Math.max(1, segment)) & 0x0f);
  return code ^ (sample < 0 ? 0x55 : 0xd5);
}

function fromALaw(byte: number): number {
  const code = byte ^ 0x55;
  const segment = (code >> 4) & 0x07;
  const step = ((code & 0x0f) << 4) + 8;
  const magnitude = segment === 0 ? step : (step + 0x100) << (segment - 1);
  return code & 0x80 ? magnitude : -magnitude;
}
