import { expect, test } from "bun:test";
import { existsSync, readdirSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Ajv from "ajv";
import { $ } from "bun";
import { version } from "../../package.json";
import { readFiles } from "../../src/cli/remote/read-files.ts";
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
  metadata: { name: string; namespace: string; annotations?: Record<string, string> };
  spec: Record<string, unknown>;
  data?: Record<string, string>;
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
  const optional = ["DATABASE_DIRECT_URL", "DATABASE_REPLICA_URL", "LOG_DATABASE_URL", "REDIS_URL", "SESSION_SECRET"];
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

test.each(["kubernetes/sluice.yaml", "../compose.yaml", "systemd/sluice.service"])(
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
  expect(await readCompose({})).toMatchObject({
    services: { sluice: { stop_grace_period: "60s" }, valkey: { command: expect.arrayContaining(["noeviction"]) } },
  });
});

test("compose.yaml starts without a variable, in the order of what its services need", async () => {
  expect(await composeProblems({})).toEqual([]);
  expect(await composeProblems({ PORT: "8080", TRUSTED_PROXIES: "10.0.0.0/8" })).toEqual([]);
  const { services } = await readCompose({ PORT: "8080" });
  expect(services.sluice?.ports).toEqual(["8080:3000"]);
  const monitoring = Object.keys(services).filter((name) => services[name]?.profiles?.includes("monitoring"));
  expect(monitoring).toEqual(["prometheus", "grafana"]);
  expect(Object.keys(services).filter((name) => !monitoring.includes(name))).toEqual([
    ...["sluice", "secrets", "postgres", "valkey"],
  ]);
});

test("compose makes each password once, for the service that reads it alone", async () => {
  const folder = await mkdtemp(`${tmpdir()}/sluice-secrets-`);
  // Only root gives files away; who gets which is what counts here.
  await Bun.write(`${folder}/bin/chown`, `#!/bin/sh\necho "$1 $2" >>"${folder}/owners"\n`);
  await $`chmod 755 ${folder}/bin/chown && mkdir ${folder}/secrets`.quiet();
  const make = () =>
    $`sh ${DEPLOY}/compose/make-secrets.sh ${folder}/secrets`.env({
      ...process.env,
      PATH: `${folder}/bin:${process.env.PATH}`,
    });
  const readSecrets = () =>
    Promise.all(
      ["postgres-password", "database-url", "grafana-password"].map((name) =>
        Bun.file(`${folder}/secrets/${name}`).text(),
      ),
    );
  try {
    await make().quiet();
    const [password = "", url = "", grafana = ""] = await readSecrets();
    expect(password).toMatch(/^[\w-]{32}\n$/);
    expect(grafana).toMatch(/^[\w-]{32}\n$/);
    expect(grafana).not.toBe(password);
    expect(url).toBe(`postgres://sluice:${password.trim()}@postgres:5432/sluice\n`);
    expect(readConfig({ DATABASE_URL_FILE: `${folder}/secrets/database-url` }).databaseUrl).toBe(url.trim());
    expect(await Bun.file(`${folder}/owners`).text()).toBe(
      "0 postgres-password\n65532 database-url\n472 grafana-password\n",
    );
    for (const name of readdirSync(`${folder}/secrets`)) {
      expect(statSync(`${folder}/secrets/${name}`).mode & 0o777).toBe(0o400);
    }
    await make().quiet();
    expect(await readSecrets()).toEqual([password, url, grafana]);
  } finally {
    await $`chmod -R u+rw ${folder} && rm -rf ${folder}`.quiet();
  }
});

test("what compose makes is kept out of git and of the image", async () => {
  const root = `${DEPLOY}/..`;
  expect((await Bun.file(`${root}/.gitignore`).text()).split("\n")).toContain(".secrets/");
  expect(await Bun.file(`${root}/.dockerignore`).text()).toMatch(/^\*$/m);
});

type Service = Readonly<{
  image?: string;
  build?: string;
  ports?: string[];
  profiles?: string[];
  volumes?: string[];
  healthcheck?: object;
  depends_on?: Readonly<Record<string, { condition: string }>>;
}>;
type Compose = Readonly<{ services: Readonly<Record<string, Service>>; volumes: Readonly<Record<string, unknown>> }>;

/** compose.yaml with its variables replaced, as `docker compose config` reads it. Throws where one has to be set. */
async function readCompose(env: Readonly<Record<string, string>>): Promise<Compose> {
  const text = (await read("../compose.yaml")).replaceAll(
    /\$\{(\w+)(?:(:[-?])([^}]*))?\}/g,
    (_, name: string, operator: string | undefined, rest: string) => {
      if (env[name]) return env[name];
      if (operator === ":-") return rest;
      throw new Error(`${name} has to be set`);
    },
  );
  return Bun.YAML.parse(text) as Compose;
}

/** What `docker compose config` would refuse, and mounts of files that are not in the tree. */
async function composeProblems(env: Readonly<Record<string, string>>): Promise<string[]> {
  const { services, volumes } = await readCompose(env);
  const root = `${DEPLOY}/..`;
  const problems: string[] = [];
  for (const [name, { image, build, volumes: mounts = [], depends_on: needs = {} }] of Object.entries(services)) {
    if (build !== undefined && !existsSync(`${root}/${build}/Dockerfile`)) problems.push(`${name}: no Dockerfile`);
    if (build === undefined && !image?.startsWith("docker.io/")) problems.push(`${name}: no full name of an image`);
    for (const mount of mounts) {
      const [source = ""] = mount.split(":");
      const isThere = source.startsWith(".")
        ? source === "./.secrets" || existsSync(`${root}/${source}`)
        : source in volumes;
      if (!isThere) problems.push(`${name}: ${source} is not there`);
    }
    for (const [needed, { condition }] of Object.entries(needs)) {
      const service = services[needed];
      if (!service) problems.push(`${name}: needs ${needed}, which is none of the services`);
      if (condition === "service_healthy" && !service?.healthcheck)
        problems.push(`${name}: ${needed} has no health check`);
    }
  }
  return problems;
}

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

test.skipIf(!hasHelm)(
  "Helm renders what `sluice apply` reads, and a job that reaches the site and gets no calls",
  async () => {
    const configuration = {
      options: { SystemName: "A: {b} #c", QuotaForNewUser: 25_000_000, Price: 7.3 },
      channels: [{ name: "openai", type: "openai", key: KEY_REFERENCE, models: ["gpt-4o"], setting: "{{ x }}" }],
    };
    const from = [{ podSelector: { matchLabels: { app: "ingress" } } }];
    const rendered = await renderChart(
      ["image.tag=9.9.9"],
      [`configuration=${JSON.stringify(configuration)}`, `networkPolicy.ingressFrom=${JSON.stringify(from)}`],
    );
    const resources = resourcesOf(rendered);
    const [map, job] = ["ConfigMap", "Job"].map((kind) => resources.find((resource) => resource.kind === kind));
    for (const hook of [map, job])
      expect(hook?.metadata.annotations?.["helm.sh/hook"]).toBe("post-install,post-upgrade");
    const folder = await mkdtemp(join(tmpdir(), "sluice-chart-"));
    try {
      await Bun.write(join(folder, "site.yaml"), map?.data?.["site.yaml"] ?? "");
      const { document, problems } = await readFiles([join(folder, "site.yaml")], { OPENAI_KEY: "sk-1" });
      expect(problems).toEqual([]);
      const [channel] = configuration.channels;
      expect(document).toEqual({ ...configuration, channels: [{ ...channel, key: "sk-1" }] });
    } finally {
      await rm(folder, { recursive: true });
    }
    expect(job?.spec).toMatchObject({
      template: {
        metadata: { labels: POD_LABELS },
        spec: {
          containers: [
            {
              image: "sluice:9.9.9",
              args: ["apply", "--yes", "--prune", "/configuration/site.yaml"],
              env: [{ name: "SLUICE_URL", value: "http://sluice:80" }],
            },
          ],
        },
      },
    });
    for (const service of resources.filter(({ kind }) => kind === "Service"))
      expect(POD_LABELS).not.toMatchObject(service.spec.selector as object);
    const policy = resources.find(({ kind }) => kind === "NetworkPolicy");
    expect(policy?.spec).toMatchObject({
      ingress: [{ from: [...from, { podSelector: { matchLabels: POD_LABELS } }] }],
    });
  },
);

// biome-ignore lint/suspicious/noTemplateCurlyInString: files refer to variables like this
const KEY_REFERENCE = "${env:OPENAI_KEY}";
const POD_LABELS = { "app.kubernetes.io/component": "configuration", "app.kubernetes.io/instance": "sluice" };
