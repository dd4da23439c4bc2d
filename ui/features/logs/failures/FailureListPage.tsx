import Resolve from "@mui/icons-material/CheckCircleOutlineOutlined";
import Failing from "@mui/icons-material/ErrorOutlineOutlined";
import Alert from "@mui/icons-material/NotificationAddOutlined";
import Mute from "@mui/icons-material/NotificationsOffOutlined";
import OpenInNew from "@mui/icons-material/OpenInNewOutlined";
import Enable from "@mui/icons-material/PowerSettingsNewOutlined";
import Reopen from "@mui/icons-material/ReplayOutlined";
import Box from "@mui/material/Box";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import {
  FAILURE_CLASSES,
  FAILURE_STATES,
  type FailureState,
} from "../../../../src/domain/logs/failures/failure-rules.ts";
import { useActing, useSeesAllUsers } from "../../../api/accounts/use-organization.ts";
import { enableChannel } from "../../../api/channels/channel-status.ts";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { ListPage } from "../../../components/page/list/ListPage.tsx";
import type { ListContext } from "../../../components/page/list/list-context.ts";
import type { ListAction, ResourceList } from "../../../components/page/list/resource-list.ts";
import { withRight } from "../../../components/page/with-right.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { formatNumber, formatShare } from "../../../lib/format/number.ts";
import { failureText } from "../../../state/failure-text.ts";
import type { AlertScope } from "../../alerts/alert-calls.ts";
import { RuleDrawer } from "../../alerts/RuleDrawer.tsx";
import { useFailureViewer } from "../detail/FailurePart.tsx";
import { type FailureViewer, fixOf } from "../entries/failure.ts";
import type { LogScope } from "../entries/log-queries.ts";
import { RangePicker } from "../overview/RangePicker.tsx";
import { nowSeconds, rangeOf } from "../time-range.ts";
import { decide, type Failure, failureGroups } from "./failure-calls.ts";

const RANGES = ["1h", "24h", "7d", "30d"] as const;
const ENABLED = 1;

type Data = Readonly<{
  viewer: FailureViewer;
  go: ReturnType<typeof useNavigate>;
  scope: LogScope;
  alertScope: AlertScope;
}>;

const fixOfGroup = (
  { class: name, channel_id: channelId, model: modelName, example }: Failure,
  viewer: FailureViewer,
) => fixOf({ class: name, channelId, modelName, tokenName: example.token_name, userId: example.user_id }, viewer);

const isOff = ({ channel_id: id, channel_status: status }: Failure): boolean => id > 0 && status > ENABLED;

/** What the search looks at. */
const textOf = ({ model, channel_name: channel, code, example }: Failure): string =>
  [model, channel, code, failureText(example)].join(" ").toLowerCase();

const showExample = ({ example }: Failure, { data }: ListContext<Data>) =>
  data.go({ to: `/log/${encodeURIComponent(example.request_id)}` });

const deciding = (
  scope: LogScope,
  state: FailureState,
  icon: ListAction<Failure, Data>["icon"],
): ListAction<Failure, Data> => ({
  name: state,
  needs: scope === "all" ? "logs:act" : "alerts.manage",
  ...(icon && { icon }),
  isShown: ({ state: now }) => (state === "open" ? now !== "open" : now === "open"),
  work: ({ cause }, { data }) => decide(data.scope, cause, state),
  done: `failures.done.${state}`,
});

/** Failures by their cause: what it is, how many calls and users it hits, and what to do. */
export const failuresOf = (scope: LogScope, range: string): ResourceList<Failure, object, Data> => ({
  text: (name) => (name === "purpose" && scope === "self" ? "failures.ownPurpose" : `failures.${name}`),
  icon: Failing,
  rows: {
    useAll: () => {
      const { data, error, refetch } = useQuery(failureGroups(scope, range));
      return { data: data?.groups, error, refetch };
    },
    matches: (failure, { text }) =>
      (text("cause") ? failure.cause === text("cause") : failure.state === (text("state") || "open")) &&
      (text("class") === "" || failure.class === text("class")) &&
      textOf(failure).includes(text("search").trim().toLowerCase()),
  },
  rowId: ({ cause }) => cause,
  rowName: ({ class: name, model }, { t }) => `${t(`failures.classes.${name}.title`)} ${model}`,
  unit: "failures.unit",
  columns: [
    { key: "cause", isTitle: true, cell: (failure, context) => <Cause failure={failure} t={context.t} /> },
    { key: "model", kind: "text", width: 150 },
    {
      key: "channel",
      width: 150,
      isShown: () => scope === "all",
      cell: (failure, { t }) => (
        <>
          {failure.channel_name || (failure.channel_id ? `#${failure.channel_id}` : "–")}{" "}
          {isOff(failure) && (
            <StatusChip tone="warn" dot={false}>
              {t("failures.off")}
            </StatusChip>
          )}
        </>
      ),
    },
    { key: "calls", kind: "number", of: "count", width: 92 },
    { key: "share", kind: "text", of: ({ share }) => formatShare(share), width: 76, align: "right" },
    { key: "users", kind: "number", width: 68, isShown: () => scope === "all" },
    { key: "first", kind: "time", of: "first_seen", width: 104 },
    { key: "last", kind: "time", of: "last_seen", width: 104 },
  ],
  search: "failures.search",
  filters: [
    { key: "class", options: FAILURE_CLASSES.map((name) => [name, `failures.classes.${name}.title`] as const) },
    { key: "state", options: FAILURE_STATES.map((state) => [state, `failures.states.${state}`] as const) },
  ],
  pinned: (_, { address }) => (
    <RangePicker
      range={rangeOf({ range }, nowSeconds())}
      names={RANGES}
      onNamed={(name) => address.set({ range: name, p: undefined })}
    />
  ),
  above: () => <Sums scope={scope} range={range} />,
  actions: [
    {
      name: "enable",
      icon: Enable,
      needs: "channels:write",
      isShown: isOff,
      work: ({ channel_id: id }) => enableChannel(id),
      done: "failures.done.enabled",
    },
    {
      name: "fix",
      several: (failure, { data, t }) => {
        const fix = fixOfGroup(failure, data.viewer);
        if (!fix) return [];
        const onSelect = () => void data.go({ to: fix.to, search: () => fix.search ?? {} });
        return [{ label: t(`failures.fixes.${fix.name}`), icon: <OpenInNew />, onSelect }];
      },
    },
    { name: "example", icon: OpenInNew, run: showExample, isShown: ({ example }) => example.request_id !== "" },
    {
      name: "alert",
      icon: Alert,
      ...(scope === "self" && { needs: "alerts.manage" as const }),
      isShown: ({ state }) => state === "open",
      open: ({ cause }, close, { data }) => (
        <RuleDrawer
          scope={data.alertScope}
          rule={null}
          preset={{ event: "failures", subject: cause }}
          onClose={close}
        />
      ),
    },
    deciding(scope, "resolved", Resolve),
    deciding(scope, "muted", Mute),
    deciding(scope, "open", Reopen),
  ],
  onRow: ["example"],
  emptyFiltered: { title: "failures.empty.title", body: "failures.empty.body" },
  useData: () => ({ viewer: useFailureViewer(), go: useNavigate(), scope, alertScope: useAlertScope(scope) }),
});

/** Whose alerts watch these failures. */
function useAlertScope(scope: LogScope): AlertScope {
  const { id } = useActing();
  if (scope === "all") return "site";
  return id === null ? "own" : "organization";
}

type CauseProps = Readonly<{ failure: Failure; t: ListContext<Data>["t"] }>;

/** What went wrong, with the words of the latest one. */
const Cause = ({ failure, t }: CauseProps) => {
  const words = failureText(failure.example);
  return (
    <Box component="span" title={words}>
      <Box component="span" sx={{ fontWeight: 550 }}>
        {t(`failures.classes.${failure.class}.title`)}
      </Box>{" "}
      {failure.status > 0 && <span className="num">{failure.status}</span>}{" "}
      <Box component="span" sx={{ color: "text.secondary" }}>
        {words}
      </Box>
    </Box>
  );
};

/** How many of the calls failed. */
const Sums = ({ scope, range }: Readonly<{ scope: LogScope; range: string }>) => {
  const { data } = useQuery(failureGroups(scope, range));
  const { t } = useTranslation();
  if (!data || data.calls === 0) return null;
  const { calls, failed, is_partial: isPartial } = data;
  const values = { failed: formatNumber(failed), calls: formatNumber(calls), share: formatShare(failed / calls) };
  return (
    <Box sx={{ mb: 3, fontSize: 13, color: "text.secondary" }}>
      {t("failures.sums", values)} {isPartial && t("failures.partial")}
    </Box>
  );
};

/** The failures of all users, or of the account that the user acts for. */
const FailureListContent = () => {
  const scope = useSeesAllUsers() ? "all" : "self";
  const range = useAddress().text("range") || "24h";
  return <ListPage list={useMemo(() => failuresOf(scope, range), [scope, range])} />;
};

export const FailureListPage = withRight("requests.read", FailureListContent);
