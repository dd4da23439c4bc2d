import { type Dial, type DialWebSocket, HandshakeRefused } from "./dial-websocket.ts";

/**
 * Sends one frame over a WebSocket and answers with the frames that come back, as server-sent events, until the other side
 * closes. A refused handshake is an answer with its status. Rejects OutboundError.
 */
export async function frameExchange(
  dial: DialWebSocket,
  { url, headers, proxy }: Dial,
  frame: string,
  signal: AbortSignal,
): Promise<Response> {
  try {
    const socket = await dial({ url, headers, proxy }, signal);
    return new Response(eventsOf(socket, frame, signal), { headers: { "content-type": "text/event-stream" } });
  } catch (error) {
    if (!(error instanceof HandshakeRefused)) throw error;
    return Response.json({ message: error.message }, { status: error.status });
  }
}

function eventsOf(socket: Bun.WebSocket, frame: string, signal: AbortSignal): ReadableStream<Uint8Array> {
  let isOver = false;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const end = (error?: Error) => {
        if (isOver) return;
        isOver = true;
        signal.removeEventListener("abort", abort);
        if (error) controller.error(error);
        else controller.close();
      };
      const abort = () => {
        end(new Error("the exchange was stopped"));
        socket.terminate();
      };
      socket.onmessage = ({ data }) => {
        if (isOver || typeof data !== "string") return;
        // A frame may be laid out over several lines.
        controller.enqueue(Buffer.from(`data: ${data.replace(/\r\n|\r|\n/g, "\ndata: ")}\n\n`));
        if ((controller.desiredSize ?? 0) <= 0) socket.pause();
      };
      socket.onclose = () => end();
      socket.onerror = () => end(new Error("the connection broke off"));
      signal.addEventListener("abort", abort, { once: true });
      if (signal.aborted) return abort();
      socket.send(frame);
      socket.resume();
    },
    pull() {
      socket.resume();
    },
    cancel() {
      isOver = true;
      socket.terminate();
    },
  });
}
