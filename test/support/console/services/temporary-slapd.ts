import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort } from "../../lib/free-port.ts";
import { makeCertificates } from "../../processes/certificates.ts";

export type TemporarySlapd = Readonly<{
  /** ldap://localhost…, on which StartTLS can begin, and ldaps://localhost…. */
  url: string;
  secureUrl: string;
  /** PEM of the authority that signed the server's certificate. */
  authority: string;
  /** Stops the server and removes its files. */
  stop: () => Promise<void>;
}>;

const START_TIMEOUT_MS = 20_000;
export const ADMIN = { dn: "cn=admin,dc=example,dc=com", password: "admin secret" } as const;

const attribute = (id: string, name: string, equality: string, syntax: number) =>
  `attributetype ( 1.2.840.113556.1.4.${id} NAME '${name}' EQUALITY ${equality} SYNTAX 1.3.6.1.4.1.1466.115.121.1.${syntax} SINGLE-VALUE )`;
/** Attributes of Active Directory by which people sign in; OpenLDAP's own file of them cannot be searched by. */
const ACTIVE_DIRECTORY = [
  attribute("221", "sAMAccountName", "caseIgnoreMatch", 15),
  attribute("656", "userPrincipalName", "caseIgnoreMatch", 15),
  attribute("8", "userAccountControl", "integerMatch", 27),
  attribute("2", "objectGUID", "octetStringMatch", 40),
];

/** OpenLDAP's server; null where it is not installed. */
export const findSlapd = (): string | null =>
  Bun.which("slapd", { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` });

/**
 * Starts an OpenLDAP server of its own with these entries (LDIF) under dc=example,dc=com, in a temporary folder, on free ports of the
 * loopback address. Only its administrator may search. Groups that are added later are in `memberOf`. Throws when it does not start.
 */
export async function startTemporarySlapd(program: string, entries: string): Promise<TemporarySlapd> {
  const folder = await mkdtemp(path.join(tmpdir(), "sluice-slapd-"));
  const { authority, certificate, key } = await makeCertificates(folder);
  const file = (name: string) => path.join(folder, name);
  await mkdir(file("data"));
  await Bun.write(file("ca.pem"), authority);
  await Bun.write(file("server.pem"), certificate);
  await Bun.write(file("key.pem"), key);
  const schemas = ["core", "cosine", "inetorgperson", "nis"].map((name) => `include /etc/ldap/schema/${name}.schema`);
  await Bun.write(
    file("slapd.conf"),
    [
      ...schemas,
      ...ACTIVE_DIRECTORY,
      ...["modulepath /usr/lib/ldap", "moduleload back_mdb", "moduleload memberof"],
      ...[`pidfile ${file("pid")}`, `TLSCACertificateFile ${file("ca.pem")}`],
      ...[`TLSCertificateFile ${file("server.pem")}`, `TLSCertificateKeyFile ${file("key.pem")}`],
      ...["database mdb", 'suffix "dc=example,dc=com"', `rootdn "${ADMIN.dn}"`, `rootpw "${ADMIN.password}"`],
      ...[
        `directory ${file("data")}`,
        "access to attrs=userPassword by anonymous auth by * none",
        "access to * by * none",
        "overlay memberof",
      ],
      "",
    ].join("\n"),
  );
  await Bun.write(file("entries.ldif"), entries);
  const loaded = Bun.spawnSync([program, "-T", "add", "-f", file("slapd.conf"), "-l", file("entries.ldif")]);
  if (loaded.exitCode !== 0) throw new Error(`slapadd: ${loaded.stderr.toString()}`);
  const [port, securePort] = [await freePort(), await freePort()];
  const [url, secureUrl] = [`ldap://localhost:${port}`, `ldaps://localhost:${securePort}`];
  const server = Bun.spawn([program, "-f", file("slapd.conf"), "-h", `${url} ${secureUrl}`, "-d", "0"], {
    stdout: "ignore",
    stderr: "pipe",
  });
  const stop = async () => {
    server.kill("SIGKILL");
    await server.exited;
    await rm(folder, { recursive: true, force: true });
  };
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await accepts(port))) {
    if (performance.now() > deadline || server.exitCode !== null) {
      await stop();
      throw new Error(`slapd did not start: ${await new Response(server.stderr).text()}`);
    }
    await Bun.sleep(50);
  }
  return { url, secureUrl, authority, stop };
}

async function accepts(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: "localhost", port, socket: { data() {} } });
    socket.end();
    return true;
  } catch {
    return false;
  }
}
