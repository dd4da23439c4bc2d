import { createAddressPolicy } from "../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../lib/outbound/safe-fetch.ts";
import { readConfig } from "../../server/config.ts";
import { commit, version } from "../../server/version.ts";
import { checkUpdate } from "../../settings/check-update.ts";

/** Exit code where a newer release exists; 0: this one is the newest. */
const NEWER = 2;

/** Prints this release and the newest one, which UPDATE_CHECK_URL describes. Returns the exit code. Throws OperationError. */
export async function checkVersion(
  asJson: boolean,
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const config = readConfig(env, false);
  const fetch = createSafeFetch(createAddressPolicy(config.allowPrivateUpstreams));
  const { isNewer, version: newest, url } = await checkUpdate(fetch, config, version);
  const report = { version, commit, newest, url, is_newer: isNewer };
  if (asJson) process.stdout.write(`${JSON.stringify(report)}\n`);
  else {
    const message = isNewer
      ? `sluice ${newest} is available${url === "" ? "" : `: ${url}`}`
      : "This is the newest release.";
    process.stdout.write(`sluice ${version} (${commit})\n${message}\n`);
  }
  return isNewer ? NEWER : 0;
}
