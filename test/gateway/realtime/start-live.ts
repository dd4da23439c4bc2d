export type LiveMessage = Record<string, unknown>;
export type LivePeer = Bun.ServerWebSocket<unknown>;

const PATH = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent";

/** An upstream of Google's Live API: the first message is the setup, and messages are sent as bytes. */
export function startLive(onMessage: (peer: LivePeer, message: LiveMessage) => void, refuses = false) {
  const setups: LiveMessage[] = [];
  const messages: LiveMessage[] = [];
  const addresses: string[] = [];
  const closed: number[] = [];
  const server = Bun.serve<unknown>({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request, bun) {
      const { pathname, search } = new URL(request.url);
      addresses.push(pathname + search);
      if (refuses || pathname !== PATH || search !== "?key=upstream-key") return new Response(null, { status: 403 });
      bun.upgrade(request, { data: { isReady: false } });
    },
    websocket: {
      message(peer, frame) {
        const message = JSON.parse(String(frame)) as LiveMessage;
        if (!message.setup) {
          messages.push(message);
          return onMessage(peer, message);
        }
        setups.push(message);
        say(peer, { setupComplete: {} });
      },
      close: (_peer, code) => void closed.push(code),
    },
  });
  const stop = () => server.stop(true);
  return { url: `http://127.0.0.1:${server.port}`, setups, messages, addresses, closed, stop };
}

/** Sends a message of the model. */
export const say = (peer: LivePeer, message: LiveMessage) => void peer.send(Buffer.from(JSON.stringify(message)));

/** A piece of a turn. */
export const turn = (text: string) => ({ serverContent: { modelTurn: { role: "model", parts: [{ text }] } } });

/** The end of a turn. */
export const OVER = { serverContent: { turnComplete: true } };

/** What a turn has cost. */
export const LIVE_USAGE = {
  promptTokenCount: 700,
  responseTokenCount: 300,
  totalTokenCount: 1_000,
  promptTokensDetails: [
    { modality: "TEXT", tokenCount: 300 },
    { modality: "AUDIO", tokenCount: 400 },
  ],
  responseTokensDetails: [
    { modality: "TEXT", tokenCount: 50 },
    { modality: "AUDIO", tokenCount: 250 },
  ],
};

/** Prices of a model under which `LIVE_USAGE` costs `LIVE_COST`. */
export const livePrices = (model: string) => ({
  ModelRatio: `{"${model}": 2}`,
  CompletionRatio: `{"${model}": 4}`,
  AudioRatio: `{"${model}": 8}`,
  AudioCompletionRatio: `{"${model}": 2}`,
  PreConsumedQuota: "500",
  RetryTimes: "1",
});

/** (300 text + 400 audio × 8 + 50 × 4 + 250 × 8 × 2) × 2 */
export const LIVE_COST = 15_400;
