import CardMembership from "@mui/icons-material/CardMembershipOutlined";
import Pause from "@mui/icons-material/PauseCircleOutlined";
import Resume from "@mui/icons-material/PlayCircleOutlined";
import Stop from "@mui/icons-material/StopCircleOutlined";
import type { SubscriptionView } from "../../../../src/domain/wallet/plans/plans.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData } from "../../../api/client.ts";
import { planApi } from "../../../api/groups.ts";
import type { ResourceList } from "../../../components/page/list/resource-list.ts";
import { leftOfCalls } from "./period-text.ts";
import { endSubscription, setPausedOf } from "./plan-calls.ts";

const keyOf = (status: string) =>
  (["active", "past_due", "paused", "ending"] as const).find((known) => known === status) ?? "ending";

const isPaused = ({ status, pause_at_end }: SubscriptionView): boolean => status === "paused" || pause_at_end;

const values = ({ plan_name: name, username: user }: SubscriptionView) => ({ name, user });

const afterwardsOf = (row: SubscriptionView) =>
  isPaused(row) ? "plans.pausesThen" : row.cancel_at_end ? "plans.endsThen" : "plans.renews";

/** Who has which plan. */
export const SUBSCRIPTIONS: ResourceList<SubscriptionView> = {
  text: (name) => `plans.${name}`,
  icon: CardMembership,
  rows: {
    key: [...WALLET_KEY, "all-subscriptions"],
    read: ({ p, page_size }, signal) =>
      readData(planApi.subscription.get({ query: { p, page_size, all: false }, fetch: { signal } })),
  },
  rowId: ({ id }) => id,
  rowName: ({ username, plan_name: plan }) => `${username}, ${plan}`,
  unit: "plans.subscriptionUnit",
  columns: [
    { key: "user", kind: "text", head: "wallet.allOrders.user", isTitle: true, of: "username" },
    { key: "plan", kind: "text", head: "plans.plan", width: 160, of: "plan_name" },
    {
      key: "status",
      kind: "status",
      head: "wallet.orders.status",
      width: 130,
      of: ({ status, is_trial: isTrial }) => ({
        tone: status === "active" ? "ok" : "warn",
        quiet: status === "active",
        text: `plans.statuses.${isTrial && status === "active" ? "trial" : keyOf(status)}`,
      }),
    },
    { key: "left", kind: "money", head: "plans.left", width: 130, of: "remaining" },
    {
      key: "calls",
      kind: "text",
      head: "plans.callsLeft",
      width: 130,
      align: "right",
      of: (row, { t }) => (row.window_calls > 0 ? leftOfCalls(row, t) : null),
    },
    { key: "end", kind: "time", head: "plans.periodEnds", width: 150, of: "period_end" },
    { key: "renewal", kind: "text", head: "plans.renewal", width: 120, of: (row, { t }) => t(afterwardsOf(row)) },
  ],
  actions: [
    {
      name: "unpause",
      icon: Resume,
      needs: "billing:act",
      isShown: isPaused,
      ask: { title: "plans.resumeTitle", body: "plans.adminResumeBody" },
      work: ({ id }) => setPausedOf(id, false),
      ...{ values, done: "plans.saved" },
    },
    {
      name: "pause",
      icon: Pause,
      needs: "billing:act",
      isShown: (row) => !isPaused(row),
      isDisabled: ({ status, cancel_at_end: ends }) => status === "ending" || ends,
      ask: { title: "plans.pauseTitle", body: "plans.adminPauseBody" },
      work: ({ id }) => setPausedOf(id, true),
      ...{ values, done: "plans.saved" },
    },
    {
      name: "end",
      icon: Stop,
      needs: "billing:act",
      isDisabled: ({ status }) => status === "ending",
      isDangerous: true,
      ask: true,
      work: ({ id }) => endSubscription(id),
      ...{ values, done: "plans.ended" },
    },
  ],
  empty: { title: "plans.noSubscriptionsTitle", body: "plans.noSubscriptionsBody" },
  reload: [{ queryKey: WALLET_KEY }],
};
