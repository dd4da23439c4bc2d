import { stringify } from "yaml";
import { recordOf } from "../../formats/json.ts";
import { siteClient } from "./management-client.ts";
import type { ExportCommand } from "./remote-arguments.ts";
import { writeSecretsFile } from "./secrets-file.ts";

/** Prints a running site as a file for `sluice apply`; secrets are references. Returns the exit code. Rejects SiteError. */
export async function exportSite(
  { site, sections, secretsFile, asJson }: ExportCommand,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const call = siteClient(site, env);
  const body = { secrets: secretsFile !== null, ...(sections && { sections }) };
  const answer = await call("POST", "/api/configuration/export", body);
  const secrets = Object.entries(recordOf(answer.secrets) ?? {});
  if (secretsFile !== null) {
    const values = secrets.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []));
    await writeSecretsFile(secretsFile, Object.fromEntries(values));
  }
  process.stdout.write(
    asJson
      ? `${JSON.stringify(answer.document, null, 2)}\n`
      : stringify(answer.document, { lineWidth: 0, aliasDuplicateObjects: false }),
  );
  if (secrets.length > 0 && secretsFile === null) {
    process.stderr.write(`Set before you apply it: ${secrets.map(([name]) => name).join(", ")}\n`);
  }
  return 0;
}
