import { logOf } from "../../db/server/log-database.ts";
import { renewOrganizationBudgets } from "../domain/accounts/organizations/budgets/renew-organization-budgets.ts";
import { sessionActing } from "../domain/accounts/organizations/members/acting.ts";
import { type AccessTokens, createAccessTokens } from "../domain/api-keys/authorization/access-tokens.ts";
import { readStanding, renewBudgets } from "../domain/api-keys/budget.ts";
import { createRecheckKey, type RecheckKey } from "../domain/api-keys/directory/recheck-key.ts";
import { CHANNEL_STATUS, storedKeyOf } from "../domain/channels/entry.ts";
import { disableChannelKey } from "../domain/channels/keys/key-status.ts";
import { setChannelStatus } from "../domain/channels/status/set-status.ts";
import { createLateVerdicts } from "../domain/logs/live/late-verdicts.ts";
import { sumUsage } from "../domain/logs/usage/usage-sums.ts";
import { createExperimentStore } from "../domain/models/experiments/store.ts";
import { channelDisabled, channelWithoutCredit } from "../domain/notifications/notices.ts";
import { createAccountAdvancer } from "../domain/wallet/plans/limits/advance-account.ts";
import { createObjectStore, createResponseStore, type GatewayServices } from "../gateway/endpoints/create-gateway.ts";
import { sayReason } from "../lib/reason.ts";
import type { Services } from "./services.ts";

/** Only replicas can know of a key that memory doesn't. */
function recheckKeyOf({ database, vault, tokens, users }: Services): RecheckKey {
  if (database.kind === "embedded") return async () => false;
  return createRecheckKey({
    hash: vault.keyedHash,
    isKnown: (key) => tokens.findByKey(key) !== undefined,
    isLoading: () => !tokens.isComplete() || !users.isComplete(),
    async reread(key) {
      const token = await tokens.reread(key);
      const user = token && (await users.reread(token.userId));
      // Their limits count an organization's calls too.
      for (const id of user?.ownerIds ?? []) if (!users.get(id)) await users.reread(id);
    },
  });
}

function accessTokensOf({ database, vault, tokens, users }: Services): AccessTokens {
  return createAccessTokens({
    db: database.callDb,
    vault,
    hasKey: (keyId) => tokens.get(keyId) !== undefined,
    async loadKey(keyId, personId) {
      const key = tokens.get(keyId) ?? (await tokens.load(keyId));
      const account = key && (users.get(key.userId) ?? (await users.reread(key.userId)));
      for (const id of [personId, ...(account?.ownerIds ?? [])]) if (!users.get(id)) await users.reread(id);
    },
  });
}

/** What the gateway gets of the process, with the database of calls where a call waits for it. */
export function gatewayServices(services: Services): GatewayServices {
  const { database, changes, vault, log, notifier } = services;
  const deps = { db: database.db, changes, vault };
  return {
    ...services,
    config: { ...services.config, dataDir: services.config.scratchDir },
    tasks: { ...services.tasks, db: database.callDb },
    responses: createResponseStore(database.callDb, log, vault),
    lateVerdicts: createLateVerdicts(database.db, log),
    objects: createObjectStore(database.callDb),
    experiments: createExperimentStore(database.db, log),
    resolveSession: (request) => sessionActing({ ...services, db: database.db }, request, "playground.use"),
    recheckKey: recheckKeyOf(services),
    accessTokens: accessTokensOf(services),
    readStanding: (subject) => readStanding(database.callDb, subject),
    readSpending: async (subject, { start, end }) =>
      (await sumUsage(logOf(database.callDb), { ...subject, start, end: end - 1 })).quota,
    renewBudget: async (tokenId) => {
      await renewBudgets({ ...deps, db: database.callDb, settings: services.settings }, [tokenId]);
    },
    renewOrganizationBudgets: async (ids) => {
      await renewOrganizationBudgets({ ...deps, db: database.callDb, settings: services.settings }, ids);
    },
    advancePlans: createAccountAdvancer({ ...services, db: database.callDb }),
    noticeNoCredit: (channel, reason) => void notifier.notifyRoot(channelWithoutCredit(channel, reason)),
    disableChannel(channel, key, reason, status = CHANNEL_STATUS.autoDisabled) {
      const change =
        key === null
          ? setChannelStatus(deps, channel.id, status, reason, CHANNEL_STATUS.enabled)
          : disableChannelKey(deps, channel.id, storedKeyOf(channel, key), reason, status);
      change.then(
        (changed) => {
          if (!changed) return;
          const reported = {
            channelId: channel.id,
            reason: sayReason(reason, "en"),
            affectsAllKeys: key === null,
          };
          log.warn(reported, "disabled automatically");
          notifier.notifyRoot(channelDisabled(channel, key !== null, reason));
        },
        (error) => log.error({ error, channelId: channel.id }, "a channel could not be disabled"),
      );
    },
  };
}
