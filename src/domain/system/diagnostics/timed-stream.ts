import { EVENT_STREAM_HEADERS, type Streamed } from "../../../lib/http/sse.ts";
import type { Vault } from "../../../lib/security/crypto.ts";

/** A stream of events at fixed intervals: what is between it and its reader shows by when they arrive. */
export const EVENTS = 6;
export const INTERVAL_MS = 150;

const TICKET_MS = 60_000;

/** Admits to the stream for a minute, whoever has it: the gateway reads it through its own public address. */
export function issueTicket(vault: Vault, nowMs: number): string {
  const until = nowMs + TICKET_MS;
  return `${until}.${signatureOf(vault, until)}`;
}

/** Whether a ticket was issued here and is still valid at `nowMs` (epoch milliseconds). */
export function isTicket(vault: Vault, ticket: string, nowMs: number): boolean {
  const [until = "", signature] = ticket.split(".", 2);
  return Number(until) > nowMs && Number(until) <= nowMs + TICKET_MS && signature === signatureOf(vault, Number(until));
}

const signatureOf = (vault: Vault, until: number): string => vault.keyedHash(`doctor stream ${until}`);

/** The stream, under the headers that relayed streams have. */
export function timedStream(): Streamed<number> {
  const encoder = new TextEncoder();
  let timer: Timer | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let sent = 0;
      const send = () => {
        controller.enqueue(encoder.encode(`data: ${sent}\n\n`));
        sent += 1;
        if (sent < EVENTS) return;
        clearInterval(timer);
        controller.close();
      };
      send();
      timer = setInterval(send, INTERVAL_MS);
    },
    cancel: () => clearInterval(timer),
  });
  return new Response(body, { headers: EVENT_STREAM_HEADERS });
}
