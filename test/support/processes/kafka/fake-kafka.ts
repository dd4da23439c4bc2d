/**
 * A broker that speaks as much of Kafka's protocol as a producer needs: ApiVersions, SASL/PLAIN, Metadata and Produce with
 * record batches of version 2. https://kafka.apache.org/protocol
 */

type Message = Readonly<{ topic: string; key: string; value: string }>;

const [PRODUCE, METADATA, SASL_HANDSHAKE, API_VERSIONS, SASL_AUTHENTICATE] = [0, 3, 17, 18, 36];
const VERSIONS = [
  [PRODUCE, 3, 3],
  [METADATA, 1, 1],
  [SASL_HANDSHAKE, 1, 1],
  [API_VERSIONS, 0, 1],
  [SASL_AUTHENTICATE, 0, 0],
] as const;
const [NONE, UNSUPPORTED_VERSION, NOT_ENOUGH_REPLICAS, AUTHENTICATION_FAILED] = [0, 35, 19, 58];

/**
 * Starts the broker with one topic. `credentials`: what SASL/PLAIN must present; null: nothing is asked for. `tls`: its
 * certificate and key, as PEM.
 */
export function startFakeKafka(
  topic: string,
  credentials: Readonly<{ user: string; password: string }> | null = null,
  tls?: Readonly<{ cert: string; key: string }>,
) {
  const messages: Message[] = [];
  const state = { hasReplicas: true };
  const server = Bun.listen<{ buffer: Buffer; isKnown: boolean }>({
    // With TLS on every address of this machine, to be asked for by another one than the certificate has.
    hostname: tls ? "0.0.0.0" : "127.0.0.1",
    port: 0,
    ...(tls && { tls }),
    socket: {
      open(socket) {
        socket.data = { buffer: Buffer.alloc(0), isKnown: credentials === null };
      },
      data(socket, part) {
        socket.data.buffer = Buffer.concat([socket.data.buffer, part]);
        for (;;) {
          const { buffer } = socket.data;
          if (buffer.length < 4 || buffer.length < 4 + buffer.readInt32BE(0)) return;
          const end = 4 + buffer.readInt32BE(0);
          socket.data.buffer = buffer.subarray(end);
          const reader = new Reader(buffer.subarray(4, end));
          const [api, version, correlation] = [reader.int16(), reader.int16(), reader.int32()];
          reader.string();
          if (!socket.data.isKnown && ![API_VERSIONS, SASL_HANDSHAKE, SASL_AUTHENTICATE].includes(api)) {
            socket.end();
            return;
          }
          const response = respond(api, version, reader, () => {
            socket.data.isKnown = true;
          });
          const body = Buffer.concat([int32(correlation), response]);
          socket.write(Buffer.concat([int32(body.length), body]));
        }
      },
    },
  });

  function respond(api: number, version: number, reader: Reader, accept: () => void): Buffer {
    switch (api) {
      case API_VERSIONS: {
        const isSupported = version <= 1;
        const versions = array(VERSIONS.map((each) => Buffer.concat(each.map(int16))));
        const throttle = isSupported && version === 1 ? [int32(0)] : [];
        return Buffer.concat([int16(isSupported ? NONE : UNSUPPORTED_VERSION), versions, ...throttle]);
      }
      case SASL_HANDSHAKE:
        return Buffer.concat([int16(NONE), array([string("PLAIN")])]);
      case SASL_AUTHENTICATE: {
        const [, user, password] = reader.bytes().toString("utf8").split("\0");
        const isRight = user === credentials?.user && password === credentials?.password;
        if (isRight) accept();
        return Buffer.concat([
          int16(isRight ? NONE : AUTHENTICATION_FAILED),
          string(isRight ? "" : "Authentication failed"),
          int32(0),
        ]);
      }
      case METADATA: {
        const broker = Buffer.concat([int32(1), string("127.0.0.1"), int32(server.port), int16(-1)]);
        const partition = Buffer.concat([int16(NONE), int32(0), int32(1), array([int32(1)]), array([int32(1)])]);
        const found = Buffer.concat([int16(NONE), string(topic), Buffer.from([0]), array([partition])]);
        return Buffer.concat([array([broker]), int32(1), array([found])]);
      }
      default: {
        reader.string();
        reader.skip(6);
        const stored: Message[] = [];
        for (let topics = reader.int32(); topics > 0; topics -= 1) {
          const name = reader.string();
          for (let partitions = reader.int32(); partitions > 0; partitions -= 1) {
            reader.int32();
            stored.push(...new Reader(reader.bytes()).batch(name));
          }
        }
        if (state.hasReplicas) messages.push(...stored);
        const error = state.hasReplicas ? NONE : NOT_ENOUGH_REPLICAS;
        const partition = Buffer.concat([int32(0), int16(error), Buffer.alloc(16)]);
        return Buffer.concat([array([Buffer.concat([string(topic), array([partition])])]), int32(0)]);
      }
    }
  }

  return { broker: `127.0.0.1:${server.port}`, messages, state, stop: () => server.stop(true) };
}

class Reader {
  #at = 0;
  constructor(private readonly buffer: Buffer) {}
  skip(bytes: number): void {
    this.#at += bytes;
  }
  int16(): number {
    this.#at += 2;
    return this.buffer.readInt16BE(this.#at - 2);
  }
  int32(): number {
    this.#at += 4;
    return this.buffer.readInt32BE(this.#at - 4);
  }
  string(): string {
    return this.#take(this.int16()).toString("utf8");
  }
  bytes(): Buffer {
    return this.#take(this.int32());
  }
  batch(topic: string): Message[] {
    // From the base offset to the base sequence.
    this.skip(57);
    return Array.from({ length: this.int32() }, () => {
      this.#varint();
      this.skip(1);
      this.#varint();
      this.#varint();
      const key = this.#take(this.#varint()).toString("utf8");
      const value = this.#take(this.#varint()).toString("utf8");
      this.#varint();
      return { topic, key, value };
    });
  }
  #take(length: number): Buffer {
    if (length < 0) return Buffer.alloc(0);
    this.#at += length;
    return this.buffer.subarray(this.#at - length, this.#at);
  }
  /** Zigzag, at most 32 bits. */
  #varint(): number {
    let [value, shift] = [0, 0];
    for (;;) {
      const byte = this.buffer.readUInt8(this.#at);
      this.#at += 1;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (value >>> 1) ^ -(value & 1);
      shift += 7;
    }
  }
}

const int16 = (value: number): Buffer => {
  const buffer = Buffer.alloc(2);
  buffer.writeInt16BE(value);
  return buffer;
};
const int32 = (value: number): Buffer => {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(value);
  return buffer;
};
const string = (text: string): Buffer => Buffer.concat([int16(Buffer.byteLength(text)), Buffer.from(text)]);
const array = (items: readonly Buffer[]): Buffer => Buffer.concat([int32(items.length), ...items]);
