const DATA = Buffer.from("data: ");
const EVENT_END = Buffer.from("\n\n");
const LF = 10;

/** Turns newline-delimited JSON into server-sent events: each line becomes the data of an event. */
export function ndjsonToSse(): Transformer<Uint8Array, Uint8Array> {
  let partial: Uint8Array[] = [];
  const emit = (rest: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void => {
    const line = Buffer.concat([...partial, rest]);
    partial = [];
    if (line.toString().trim() !== "") controller.enqueue(Buffer.concat([DATA, line, EVENT_END]));
  };
  return {
    transform(bytes, controller) {
      let start = 0;
      for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
        emit(bytes.subarray(start, end), controller);
        start = end + 1;
      }
      if (start < bytes.length) partial.push(bytes.slice(start));
    },
    flush: (controller) => emit(new Uint8Array(0), controller),
  };
}
