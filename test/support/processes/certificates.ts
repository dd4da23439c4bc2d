import { join } from "node:path";

/**
 * Makes an authority and, signed by it, a certificate of the server "localhost" (and of `address`) and one of "client", as PEM files in the
 * folder (`authority.crt`, `server.crt`, `server.key`, `client.crt`, `client.key`). Returns what a server needs. Throws when
 * openssl is not installed or fails.
 */
export async function makeCertificates(
  folder: string,
  address?: string,
): Promise<{ authority: string; certificate: string; key: string }> {
  const file = (name: string) => join(folder, name);
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  await openssl(
    ...[
      "req",
      "-x509",
      ...newKey,
      "-subj",
      "/CN=authority",
      "-keyout",
      file("authority.key"),
      "-out",
      file("authority.crt"),
    ],
  );
  for (const [name, host] of [
    ["server", "localhost"],
    ["client", "client"],
  ] as const) {
    const ip = name === "server" && address !== undefined ? `,IP:${address}` : "";
    await openssl(
      ...["req", "-x509", ...newKey, "-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}${ip}`],
      ...["-addext", "basicConstraints=critical,CA:FALSE"],
      ...["-CA", file("authority.crt"), "-CAkey", file("authority.key")],
      ...["-keyout", file(`${name}.key`), "-out", file(`${name}.crt`)],
    );
  }
  const read = (name: string) => Bun.file(file(name)).text();
  return {
    authority: await read("authority.crt"),
    certificate: await read("server.crt"),
    key: await read("server.key"),
  };
}

async function openssl(...words: string[]): Promise<void> {
  const child = Bun.spawn(["openssl", ...words], { stdio: ["ignore", "ignore", "pipe"] });
  const [complaint, code] = await Promise.all([Bun.readableStreamToText(child.stderr), child.exited]);
  if (code !== 0) throw new Error(`openssl ${words[0]}: ${complaint}`);
}
