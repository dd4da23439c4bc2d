/** A body on its way out, never in memory as a whole: each stream sends it from the beginning. Lengths in bytes. */
export type StreamedBody = Readonly<{
  contentType: string;
  contentLength: number;
  /** The value of a body of JSON. */
  json?: unknown;
  stream(): ReadableStream<Uint8Array>;
}>;

/** A direct stream takes bytes without keeping them, so that `send` can fill the same memory again and again. */
export function directStream(
  send: (controller: ReadableStreamDirectController) => Promise<void>,
): ReadableStream<Uint8Array> {
  const source = {
    type: "direct",
    async pull(controller: ReadableStreamDirectController) {
      try {
        await send(controller);
        await controller.flush();
        controller.close();
      } catch (error) {
        controller.close(error instanceof Error ? error : new Error(String(error)));
      }
    },
  } as const;
  // The DOM's types do not know the runtime's direct streams.
  return new ReadableStream(source as unknown as UnderlyingDefaultSource<Uint8Array>);
}
