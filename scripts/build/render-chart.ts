/**
 * Renders the Helm chart with its defaults into deploy/kubernetes/sluice.yaml, for clusters without Helm. Needs `helm` on the
 * PATH. The file begins with a digest of the chart, so that a test notices a chart that was changed and not rendered.
 */
import { $, Glob } from "bun";

const ROOT = `${import.meta.dir}/../..`;
const CHART = "deploy/helm/sluice";

/** SHA-256 over the names and texts of the chart's files. */
export async function chartDigest(): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  const names = await Array.fromAsync(new Glob("**/*").scan({ cwd: `${ROOT}/${CHART}` }));
  for (const name of names.sort()) hasher.update(`${name}\n${await Bun.file(`${ROOT}/${CHART}/${name}`).text()}`);
  return hasher.digest("hex");
}

/** The chart as rendered, with values (`name=value`) that differ, whose values are JSON for `json`. Throws where `helm` fails. */
export async function renderChart(values: readonly string[] = [], json: readonly string[] = []): Promise<string> {
  const set = [...values.flatMap((value) => ["--set", value]), ...json.flatMap((value) => ["--set-json", value])];
  return $`helm template sluice ${CHART} --kube-version 1.27.0 --namespace sluice ${set}`.cwd(ROOT).text();
}

if (import.meta.main) {
  await $`helm lint --strict ${CHART}`.cwd(ROOT);
  const header = `# Made from ${CHART} by scripts/build/render-chart.ts; do not edit.\n# chart: ${await chartDigest()}\n`;
  await Bun.write(`${ROOT}/deploy/kubernetes/sluice.yaml`, header + (await renderChart()));
}
