import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { until } from "./lib/until.ts";

export type ReceivedMail = Readonly<{
  from: string;
  to: readonly string[];
  /** Headers and body as they came, with quoted-printable and base64 parts decoded. */
  text: string;
  isEncrypted: boolean;
  user: string | null;
}>;

/** A mail server on a loopback address that keeps what it receives; `options` are those of smtp-server. */
export async function startMailServer(options: SMTPServerOptions = {}, address = "127.0.0.1") {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onAuth: ({ username }, _session, callback) => callback(null, { user: username ?? "" }),
    onData(stream, session, callback) {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address),
          text: decoded(Buffer.concat(parts).toString("utf8")),
          isEncrypted: session.secure,
          user: session.user ?? null,
        });
        callback();
      });
    },
    ...options,
  });
  // A client that hangs up on a certificate is what some tests want.
  server.on("error", () => {});
  server.listen(0, address);
  await once(server.server, "listening");
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    /** The next mail that comes after this call. */
    async next(): Promise<ReceivedMail> {
      const before = received.length;
      await until(() => received.length > before);
      return received[before] as ReceivedMail;
    },
    stop: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

function decoded(raw: string): string {
  return raw.replace(
    /Content-Transfer-Encoding: (quoted-printable|base64)\r\n\r\n([\s\S]*?)(?=\r\n--|$)/g,
    (_, encoding: string, body: string) =>
      encoding === "base64"
        ? Buffer.from(body, "base64").toString("utf8")
        : Buffer.from(
            body
              .replace(/=\r\n/g, "")
              .replace(/=([0-9A-F]{2})/g, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
            "latin1",
          ).toString("utf8"),
  );
}
