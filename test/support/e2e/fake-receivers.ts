import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeCertificate } from "../lib/certificate.ts";
import { until } from "../lib/until.ts";

export type Received = Readonly<{
  path: string;
  query: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, string>>;
  text: string;
  body: Readonly<Record<string, unknown>>;
}>;

/** Where the image of a QR code is; tests answer it themselves. */
export const QR_IMAGE = "https://push.example.test/qr.png";

/** What each service says of a message that it takes, by the beginning of its path; webhooks get an empty object. */
const ANSWERS: Readonly<Record<string, object>> = {
  "/cgi-bin/webhook/send": { errcode: 0, errmsg: "ok" },
  "/robot/send": { errcode: 0, errmsg: "ok" },
  "/api/send/message": { code: 1000, msg: "ok" },
  "/api/fun/create/qrcode": { code: 1000, data: { code: "qr-of-the-tests", url: QR_IMAGE } },
  "/open-apis/bot/v2/hook/of-the-tests": { code: 0, msg: "success" },
  "/push": { code: 200, message: "success" },
};

/**
 * Everything that notices go to, on loopback: `url` for services whose base address is set by environment, `secureUrl` for
 * addresses that users type, which must be https; `certificate` is the file to trust for it. Nobody has scanned the QR code
 * until `scannedBy` names who did; while `refusal` is a text, messages are refused with it. `/public_keys` returns `publicKeys`.
 */
export async function startFakeReceivers() {
  const folder = await mkdtemp(path.join(tmpdir(), "sluice-receivers-"));
  const certificate = path.join(folder, "certificate.pem");
  const key = path.join(folder, "key.pem");
  await makeCertificate(certificate, key);
  const received: Received[] = [];
  const state = { scannedBy: null as string | null, refusal: null as string | null, publicKeys: {} as object };
  const fetch = async (request: Request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/api/fun/scan-qrcode-uid") return Response.json({ code: 1000, data: state.scannedBy });
    if (pathname === "/public_keys") return Response.json(state.publicKeys);
    const text = await request.text();
    received.push({
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: Object.fromEntries(request.headers),
      text,
      body: JSON.parse(text),
    });
    if (state.refusal !== null) return Response.json({ errcode: 310000, errmsg: state.refusal });
    return Response.json(ANSWERS[pathname] ?? (pathname.endsWith("/sendMessage") ? { ok: true } : {}));
  };
  const listen = { port: 0, hostname: "127.0.0.1", fetch };
  const plain = Bun.serve(listen);
  const secure = Bun.serve({ ...listen, tls: { cert: Bun.file(certificate), key: Bun.file(key) } });
  return {
    url: `http://127.0.0.1:${plain.port}`,
    secureUrl: `https://127.0.0.1:${secure.port}`,
    certificate,
    state,
    /** Waits for the next message after the first `count`. */
    async after(count: number): Promise<Received> {
      const all = await until(
        async () => received,
        ({ length }) => length > count,
      );
      return all[count] as Received;
    },
    count: () => received.length,
    async stop() {
      await Promise.all([plain.stop(true), secure.stop(true)]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
