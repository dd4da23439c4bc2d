import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate } from "../lib/certificate.ts";
import { freePort } from "../lib/free-port.ts";
import { until } from "../lib/until.ts";
import { readPages } from "./pages.ts";

/** A file of the page about proxies: the block whose first line names it. Throws when there is none. */
export function proxyFile(path: string): string {
  const page = readPages().find((candidate) => candidate.path === "docs/operate/site/proxies.md")?.text ?? "";
  const blocks = [...page.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);
  const found = blocks.find((text) => text.startsWith(`# ${path}\n`));
  if (found === undefined) throw new Error(`docs/operate/site/proxies.md has no ${path}`);
  return found;
}

/** Puts a test's values in the place of those that the page has. Throws when the page has one of them no longer. */
function fill(text: string, values: Readonly<Record<string, string>>): string {
  let filled = text;
  for (const [from, to] of Object.entries(values)) {
    if (!filled.includes(from)) throw new Error(`the page has no “${from}” any more`);
    filled = filled.replaceAll(from, to);
  }
  return filled;
}

/** A proxy that runs with the file of the documentation. */
export type DocumentedProxy = Readonly<{
  /** Its address with TLS, on a port of its own. */
  url: string;
  /** Its address without. */
  plainUrl: string;
  stop: () => Promise<void>;
}>;

export const DOCUMENTED_PROXIES = ["nginx", "HAProxy"] as const;

/** Where Debian puts them: not every user's PATH has this folder. */
const FOLDER = "/usr/sbin";

/** Starts Debian's nginx or HAProxy in front of a gateway, with the file of the documentation and a certificate for localhost. */
export async function startDocumentedProxy(
  kind: (typeof DOCUMENTED_PROXIES)[number],
  gatewayUrl: string,
): Promise<DocumentedProxy> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-proxy-"));
  const file = (name: string) => join(folder, name);
  const [port, plainPort] = [await freePort(), await freePort()];
  await makeCertificate(file("site.crt"), file("site.key"));
  const pem = (await Promise.all(["site.crt", "site.key"].map((name) => Bun.file(file(name)).text()))).join("");
  await Bun.write(file("site.pem"), pem);
  const backend = { "127.0.0.1:3000": new URL(gatewayUrl).host };
  const command =
    kind === "nginx"
      ? await prepareNginx(file, {
          ...backend,
          "listen 80;": `listen 127.0.0.1:${plainPort};`,
          "listen 443 ssl;": `listen 127.0.0.1:${port} ssl;`,
        })
      : await prepareHaproxy(file, {
          ...backend,
          "bind :80\n": `bind 127.0.0.1:${plainPort}\n`,
          "bind :443 ": `bind 127.0.0.1:${port} `,
        });
  const child = Bun.spawn(command, { stdio: ["ignore", "ignore", "pipe"] });
  const url = `https://localhost:${port}`;
  const isReady = async () =>
    (await fetch(`${url}/readyz`, { tls: { rejectUnauthorized: false } }).catch(() => null))?.ok === true;
  await until(async () => child.exitCode !== null || (await isReady()));
  if (child.exitCode !== null) throw new Error(`${kind} ended: ${await new Response(child.stderr).text()}`);
  const stop = async () => {
    child.kill("SIGTERM");
    await child.exited;
    await Bun.$`rm -rf ${folder}`.quiet();
  };
  return { url, plainUrl: `http://localhost:${plainPort}`, stop };
}

type File = (name: string) => string;

async function prepareNginx(file: File, values: Readonly<Record<string, string>>): Promise<string[]> {
  const site = fill(proxyFile("/etc/nginx/conf.d/sluice.conf"), {
    ...values,
    "/etc/ssl/ai.example.com.crt": file("site.crt"),
    "/etc/ssl/ai.example.com.key": file("site.key"),
  });
  await Bun.write(file("sluice.conf"), site);
  const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const main = [
    ...["daemon off;", `pid ${file("nginx.pid")};`, `error_log ${file("error.log")};`, "worker_processes 1;"],
    ...["events {}", "http {", "access_log off;"],
    ...folders.map((name) => `${name}_temp_path ${file(name)};`),
    ...[`include ${file("sluice.conf")};`, "}", ""],
  ];
  // Started by root, its workers would be of another user, who may not enter the folder of a test.
  const user = process.getuid?.() === 0 ? ["user root;"] : [];
  await Bun.write(file("nginx.conf"), [...user, ...main].join("\n"));
  return [join(FOLDER, "nginx"), "-e", file("error.log"), "-p", file(""), "-c", file("nginx.conf")];
}

async function prepareHaproxy(file: File, values: Readonly<Record<string, string>>): Promise<string[]> {
  const text = fill(proxyFile("/etc/haproxy/haproxy.cfg"), {
    ...values,
    "/etc/haproxy/ai.example.com.pem": file("site.pem"),
  });
  await Bun.write(file("haproxy.cfg"), text);
  return [join(FOLDER, "haproxy"), "-db", "-f", file("haproxy.cfg")];
}
