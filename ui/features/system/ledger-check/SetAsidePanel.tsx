import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { readData } from "../../../api/client.ts";
import { journalApi } from "../../../api/groups.ts";
import { Money } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { useAction } from "../../../components/feedback/use-action.ts";
import { Panel, Row } from "../../../components/layout.tsx";

/** The charges that the database refused, which wait for a person. */
const setAsideCharges = queryOptions({
  queryKey: ["journal"],
  queryFn: ({ signal }) => readData(journalApi.get({ fetch: { signal } })),
});

/** Charges the records again that are not charged yet. Rejects ApiError. */
const chargeAgain = () => readData(journalApi.replay.post({}));

/** Takes all out of the list. Rejects ApiError. */
const dismissAll = () => readData(journalApi.acknowledge.post());

type Charges = Awaited<ReturnType<NonNullable<typeof setAsideCharges.queryFn>>>;

/** Lists the charges that the database refused, and charges them again. */
export const SetAsidePanel = () => {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(setAsideCharges);
  const act = useAction(refetch);
  const charge = () => act({ work: chargeAgain, done: (result) => t("ledgerCheck.setAside.done", result) });
  const dismiss = () =>
    act({
      question: {
        title: t("ledgerCheck.setAside.title"),
        body: t("ledgerCheck.setAside.dismissBody"),
        action: t("ledgerCheck.setAside.dismiss"),
        isDangerous: true,
      },
      work: dismissAll,
    });
  const total = data?.total ?? 0;
  const action = total > 0 && (
    <Row>
      <Button onClick={() => void dismiss()}>{t("ledgerCheck.setAside.dismiss")}</Button>
      <Button onClick={() => void charge()}>{t("ledgerCheck.setAside.charge")}</Button>
    </Row>
  );
  return (
    <Panel title={t("ledgerCheck.setAside.title")} hint={t("ledgerCheck.setAside.hint")} action={action}>
      {error && <ErrorState error={error} onRetry={() => refetch()} />}
      {data && total === 0 && (
        <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t("ledgerCheck.setAside.none")}</Box>
      )}
      {data?.rejected.map((charged) => (
        <ChargeRow key={charged.number} {...charged} />
      ))}
      {data && total > 0 && (
        <Box sx={{ pt: 2, fontSize: 13, color: "text.secondary" }}>
          {total > data.rejected.length && (
            <div>{t("ledgerCheck.setAside.more", { shown: data.rejected.length, total })}</div>
          )}
          {t("ledgerCheck.setAside.edit")}
        </Box>
      )}
    </Panel>
  );
};

/** One charge: whose it is, what it comes to, and why it was refused. */
const ChargeRow = (charged: Charges["rejected"][number]) => {
  const { t } = useTranslation();
  return (
    <Row gap={3} wrap sx={{ py: 2, fontSize: 13, borderBottom: "1px solid", borderColor: "line.faint" }}>
      <Box sx={{ flex: 1, minWidth: 200, overflowWrap: "anywhere" }}>
        <div>
          {t("ledgerCheck.setAside.user", { name: charged.username, id: charged.user_id, model: charged.model_name })}
          {charged.created_at > 0 && (
            <>
              {", "}
              <TimeAgo seconds={charged.created_at} />
            </>
          )}
        </div>
        <Box sx={{ color: "text.secondary" }}>{t("ledgerCheck.setAside.reason", { reason: charged.reason })}</Box>
      </Box>
      <Money quota={charged.quota} decimals={6} />
      <StatusChip tone={charged.is_charged ? "warn" : "bad"}>
        {t(charged.is_charged ? "ledgerCheck.setAside.charged" : "ledgerCheck.setAside.uncharged")}
      </StatusChip>
    </Row>
  );
};
