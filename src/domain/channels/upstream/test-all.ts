import type { Changes } from "../../../../db/changes.ts";
import type { Db } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { Reason } from "../../../lib/reason.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import type { ChannelDirectory } from "../directory.ts";
import { CHANNEL_STATUS, type ChannelEntry, storedKeyOf } from "../entry.ts";
import { disableChannelKey } from "../keys/key-status.ts";
import { firstKey } from "../keys/keys.ts";
import { keyAlone, mayGoOff, switchesOff } from "../status/refusal.ts";
import { type OnDisabled, setChannelStatus } from "../status/set-status.ts";
import { modelOfRoutineTest, type TestResult, testChannel } from "./test-channel.ts";

export type TestProgress = { running: boolean; done: number; total: number; failed: number };

type TesterDeps = Readonly<{
  db: Db;
  changes: Changes;
  vault: Vault;
  directory: ChannelDirectory;
  settings: SettingsReader;
  fetch: SafeFetch;
  log: Logger;
  onDisabled: OnDisabled;
  /** Called for channels that a test enabled again. */
  onEnabled: (channel: ChannelEntry) => void;
}>;

/** Tests channels and draws the consequences: slow and refused ones go off, recovered ones come back, where settings say so. */
export type ChannelTester = {
  /** Throws OperationError when there is no such channel or it cannot be tested. */
  test(id: number, model?: string): Promise<TestResult>;
  /** Starts a pass over all channels in the background. Throws OperationError while one is running. */
  testAll(): void;
  progress(): TestProgress;
  cancel(): void;
};

const AT_A_TIME = 4;

/** Creates the tester; one pass over all channels runs at a time. */
export function createChannelTester(deps: TesterDeps): ChannelTester {
  const { directory, log } = deps;
  let present: TestProgress = { running: false, done: 0, total: 0, failed: 0 };

  // Each pass has its own progress: one that was cancelled ends although the next has begun.
  const pass = async (queue: ChannelEntry[], progress: TestProgress) => {
    const worker = async () => {
      for (let channel = queue.shift(); channel && progress.running; channel = queue.shift()) {
        const succeeded = await testAndJudge(deps, channel).catch((error) => {
          log.warn({ error, channelId: channel?.id }, "a channel could not be tested");
          return false;
        });
        progress.done += 1;
        if (!succeeded) progress.failed += 1;
      }
    };
    try {
      await Promise.all(Array.from({ length: AT_A_TIME }, worker));
    } finally {
      progress.running = false;
    }
  };
  return {
    async test(id, model) {
      const channel = directory.get(id);
      if (!channel) throw new OperationError("channel_not_found");
      return testChannel(deps, channel, model);
    },
    testAll() {
      if (present.running) throw new OperationError("channel_tests_running");
      // Channels that somebody switched off by hand stay off whatever a test says.
      const queue = [...directory.all()].filter(
        (channel) => modelOfRoutineTest(channel) !== null && channel.status !== CHANNEL_STATUS.disabled,
      );
      present = { running: true, done: 0, total: queue.length, failed: 0 };
      pass(queue, present).catch((error) => log.error({ error }, "the test of all channels ended early"));
    },
    progress: () => ({ ...present }),
    cancel() {
      present.running = false;
    },
  };
}

async function testAndJudge(deps: TesterDeps, channel: ChannelEntry): Promise<boolean> {
  const { settings } = deps;
  const { success, message, refusal, elapsedMs } = await testChannel(deps, channel, modelOfRoutineTest(channel) ?? "");
  if (channel.status === CHANNEL_STATUS.autoDisabled) {
    if (success && settings.get("AutomaticEnableChannelEnabled")) {
      const isOn = await setChannelStatus(deps, channel.id, CHANNEL_STATUS.enabled, "", CHANNEL_STATUS.autoDisabled);
      if (isOn) deps.onEnabled(channel);
    }
    return success;
  }
  const limitS = settings.get("ChannelDisableThreshold");
  if (refusal && switchesOff(channel, refusal, settings)) {
    await switchOff(deps, channel, keyAlone(channel, firstKey(channel)), message);
  } else if (limitS > 0 && elapsedMs > limitS * 1000 && mayGoOff(channel, settings)) {
    const params = { seconds: (elapsedMs / 1000).toFixed(1), limit: limitS };
    await switchOff(deps, channel, null, { code: "why_test_slow", params });
  }
  return success;
}

/** Only the key, where one is named. */
async function switchOff(deps: TesterDeps, channel: ChannelEntry, key: string | null, reason: Reason): Promise<void> {
  const isOff =
    key === null
      ? await setChannelStatus(deps, channel.id, CHANNEL_STATUS.autoDisabled, reason, CHANNEL_STATUS.enabled)
      : await disableChannelKey(deps, channel.id, storedKeyOf(channel, key), reason);
  if (isOff) deps.onDisabled(channel, key !== null, reason);
}
