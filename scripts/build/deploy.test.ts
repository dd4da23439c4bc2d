import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import Ajv from "ajv";
import { $ } from "bun";
import { version } from "../../package.json";
import { allVariables, readConfig } from "../../src/server/config.ts";
import { chartDigest, renderChart } from "./render-chart.ts";

const DEPLOY = `${import.meta.dir}/../../deploy`;
const read = (path: string): Promise<string> => Bun.file(`${DEPLOY}/${path}`).text();
const yaml = async (path: string): Promise<unknown> => Bun.YAML.parse(await read(path));

/** Names of all variables that Sluice reads, those of secret files included. */
const VARIABLES = new Set(
  allVariables().flatMap(({ defaults, isSecret }) =>
    Object.keys(defaults).flatMap((name) => (isSecret ? [name, `${name}_FILE`] : [name])),
  ),
);

type Resource = Readonly<{
  kind: string;
  metadata: { name: string; namespace: string };
  spec: Record<string, unknown>;
}>;

/** The documents of a rendered chart. */
function resourcesOf(text: string): Resource[] {
  const documents = text.split(/^---$/m).map((part) => Bun.YAML.parse(part));
  return documents.filter((document): document is Resource => document !== null && typeof document === "object");
}

const kindsOf = (resources: readonly Resource[]): string[] => resources.map(({ kind }) => kind).sort();

test("the rendered manifests are of the chart as it is: run scripts/build/render-chart.ts after a change", async () => {
  expect(await read("kubernetes/sluice.yaml")).toContain(`# chart: ${await chartDigest()}\n`);
});

test("the chart's version is the product's, and its values fit their schema", async () => {
  expect(await yaml("helm/sluice/Chart.yaml")).toMatchObject({ version, appVersion: version });
  const validate = new Ajv({ strict: false }).compile(JSON.parse(await read("helm/sluice/values.schema.json")));
  const values = await yaml("helm/sluice/values.yaml");
  validate(values);
  expect(validate.errors).toBeNull();
  const optional = ["DATABASE_DIRECT_URL", "DATABASE_REPLICA_URL", "REDIS_URL", "SESSION_SECRET"];
  expect(validate({ ...Object(values), secret: { name: "own", optional } })).toBe(true);
  for (const wrong of [
    { replicas: 0 },
    { secret: {} },
    { secret: { name: "own", optional: ["PORT"] } },
    { unknown: true },
    { env: { A: 1 } },
  ]) {
    expect(validate({ ...Object(values), ...wrong })).toBe(false);
  }
});

test("pods have what they need: secrets as files, time to drain, a volume, no rights", async () => {
  const resources = resourcesOf(await read("kubernetes/sluice.yaml"));
  expect(kindsOf(resources)).toEqual([
    "NetworkPolicy",
    "PodDisruptionBudget",
    "Service",
    "Service",
    "ServiceAccount",
    "StatefulSet",
  ]);
  const set = resources.find(({ kind }) => kind === "StatefulSet");
  expect(set?.spec).toMatchObject({
    replicas: 3,
    serviceName: "sluice-pods",
    template: {
      spec: {
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 145,
        containers: [
          {
            readinessProbe: { httpGet: { path: "/readyz" } },
            livenessProbe: { httpGet: { path: "/healthz" } },
            securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
            volumeMounts: expect.arrayContaining([{ name: "data", mountPath: "/data" }]),
          },
        ],
      },
    },
    volumeClaimTemplates: [{ metadata: { name: "data" } }],
  });
});

test.each(["kubernetes/sluice.yaml", "compose/compose.yaml", "systemd/sluice.service"])(
  "%s sets no variable that Sluice does not read",
  async (file) => {
    const used = [...(await read(file)).matchAll(/(?:name: |^ {6}|^Environment=|^# )([A-Z]+(?:_[A-Z]+)+)\b/gm)].map(
      ([, name = ""]) => name,
    );
    const own = used.filter((name) => !/^(POSTGRES|GF|GRAFANA|CAP)_/.test(name));
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter((name) => !VARIABLES.has(name))).toEqual([]);
  },
);

test("services get the time that open calls may take, and Valkey evicts no charges", async () => {
  const { shutdownTimeoutMs } = readConfig({});
  expect(60_000).toBeGreaterThan(shutdownTimeoutMs + 5_000);
  expect(await read("systemd/sluice.service")).toContain("TimeoutStopSec=60");
  expect(await yaml("compose/compose.yaml")).toMatchObject({
    services: { sluice: { stop_grace_period: "60s" }, valkey: { command: expect.arrayContaining(["noeviction"]) } },
  });
});

test("files that compose mounts are there", async () => {
  const mounted = [...(await read("compose/compose.yaml")).matchAll(/- (\.[^:]+):/g)].map(([, path = ""]) => path);
  expect(mounted).toHaveLength(5);
  expect(mounted.filter((path) => !existsSync(`${DEPLOY}/compose/${path}`))).toEqual([]);
});

const hasHelm = Bun.which("helm") !== null;

test.skipIf(!hasHelm)("Helm finds nothing to say about the chart, and renders every option of it", async () => {
  expect((await $`helm lint --strict ${DEPLOY}/helm/sluice`.quiet().nothrow()).exitCode).toBe(0);
  const all = await renderChart([
    "autoscaling.enabled=true",
    "autoscaling.callsPerPod=200",
    "ingress.enabled=true",
    "ingress.tlsSecretName=tls",
    "serviceMonitor.enabled=true",
    "secret.optional=null",
    "env.LOG_LEVEL=debug",
  ]);
  const resources = resourcesOf(all);
  expect(kindsOf(resources)).toContain("HorizontalPodAutoscaler");
  expect(kindsOf(resources)).toContain("ServiceMonitor");
  expect(kindsOf(resources)).toContain("Ingress");
  expect(all).not.toContain("REDIS_URL");
  expect(resources.find(({ kind }) => kind === "StatefulSet")?.spec).not.toHaveProperty("replicas");
  expect(await read("kubernetes/sluice.yaml")).toEndWith(await renderChart());
});
