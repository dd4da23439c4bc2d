import Replay from "@mui/icons-material/ReplayOutlined";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { SettingLink } from "../../../components/feedback/SettingLink.tsx";
import { Col, PageHeader, Row } from "../../../components/layout.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { EvaluationDetail } from "./EvaluationDetail.tsx";
import { EvaluationDrawer } from "./EvaluationDrawer.tsx";
import { NewSetDrawer } from "./NewSetDrawer.tsx";
import { ReplaySetPanel } from "./ReplaySetPanel.tsx";
import { type ReplaySetView, replaySets } from "./replay-form.ts";

/** Requests of the log, replayed against other models, prompts, prices and routes. */
export const ReplayPage = () => {
  const { t } = useTranslation();
  const address = useAddress();
  const { data, error, isPending, refetch } = useQuery(replaySets);
  const [isCreating, setCreating] = useState(false);
  const [replayed, setReplayed] = useState<ReplaySetView | null>(null);
  const shown = Number(address.text("evaluation"));
  if (shown > 0) return <EvaluationDetail key={shown} id={shown} />;
  const create = (
    <Button variant="contained" color="primary" onClick={() => setCreating(true)}>
      {t("replays.set.create")}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={t("replays.title")}
        purpose={t("replays.purpose")}
        actions={data?.length ? create : undefined}
      />
      {isPending && <Skeleton variant="rounded" height={240} />}
      {error && <ErrorState error={error} onRetry={() => refetch()} />}
      {data?.length === 0 && (
        <EmptyState
          icon={<Replay />}
          title={t("replays.empty.title")}
          body={t("replays.empty.body")}
          action={
            <Row gap={2}>
              {create}
              <SettingLink tab="operation" field="LogChatContentEnabled" />
            </Row>
          }
        />
      )}
      <Col gap={4}>
        {data?.map((set) => (
          <ReplaySetPanel key={set.id} set={set} onReplay={() => setReplayed(set)} />
        ))}
      </Col>
      {isCreating && <NewSetDrawer onClose={() => setCreating(false)} />}
      {replayed && <EvaluationDrawer set={replayed} onClose={() => setReplayed(null)} />}
    </>
  );
};
