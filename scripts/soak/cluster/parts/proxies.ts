import { chmod } from "node:fs/promises";
import { freePort } from "../../../../test/support/lib/free-port.ts";
import { until } from "../../../../test/support/lib/until.ts";
import type { startPostgresPair } from "./postgres-pair.ts";
import type { Processes } from "./processes.ts";

type Pair = Awaited<ReturnType<typeof startPostgresPair>>;

/** HAProxy before the gateways and before Postgres, and PgBouncer in transaction mode; both follow Patroni's primary. */
export async function startProxies(processes: Processes, pair: Pair, hostPorts: readonly number[]) {
  const [gatewayPort, primaryPort, pgbouncerPort] = [await freePort(), await freePort(), await freePort()];
  const folder = await processes.makeFolder("proxies", "postgres");
  const [pg1, pg2] = pair.servers;
  const haproxy = await processes.fill("haproxy.cfg", folder, {
    ...{ GATEWAY_PORT: gatewayPort, PRIMARY_PORT: primaryPort },
    ...{ HOST1_PORT: hostPorts[0] ?? 0, HOST2_PORT: hostPorts[1] ?? 0, HOST3_PORT: hostPorts[2] ?? 0 },
    ...{ PG1_PORT: pg1?.port ?? 0, PG1_REST_PORT: pg1?.restPort ?? 0 },
    ...{ PG2_PORT: pg2?.port ?? 0, PG2_REST_PORT: pg2?.restPort ?? 0 },
  });
  processes.start("haproxy", ["/usr/sbin/haproxy", "-db", "-f", haproxy]);
  const users = `${folder}/users.txt`;
  await Bun.write(users, `"sluice" "${pair.password}"\n`);
  await chmod(users, 0o644);
  const pgbouncer = await processes.fill("pgbouncer.ini", folder, {
    ...{ FOLDER: folder, PRIMARY_PORT: primaryPort, PGBOUNCER_PORT: pgbouncerPort },
  });
  // PgBouncer 1.18 can crash when connections end while they sign in: service managers start it again.
  processes.keep("pgbouncer", ["/usr/sbin/pgbouncer", pgbouncer], { user: "postgres", cwd: folder });
  for (const port of [gatewayPort, primaryPort, pgbouncerPort]) await until(() => accepts(port));
  return { gatewayUrl: `http://127.0.0.1:${gatewayPort}`, pgbouncerPort };
}

const accepts = (port: number): Promise<boolean> =>
  Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } }).then(
    (socket) => {
      socket.end();
      return true;
    },
    () => false,
  );
