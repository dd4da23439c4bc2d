import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useAtom, useSetAtom } from "jotai";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { Col, PageHeader } from "../../../components/layout.tsx";
import { useSession } from "../../../state/session.ts";
import { isSuperAdmin } from "../../../state/stored-user.ts";
import type { AddedChannel } from "../../channels/quick/add-channel.ts";
import { QuickChannelForm } from "../../channels/quick/QuickChannelForm.tsx";
import { NotPermitted } from "../../shell/StatePages.tsx";
import {
  dismissedAtom,
  doneSteps,
  FIRST_STEPS_KEY,
  firstSteps,
  receiptUnseenAtom,
  STEPS,
  type Step,
} from "./first-steps.ts";
import { StepRow } from "./StepRow.tsx";
import { KeyStep, PriceStep, TestStep } from "./step-forms.tsx";

const WIDTH = 760;

/** What is left to do until the first call of a new gateway; each step is ticked by what is stored. */
export const StartPage = () => {
  const { user } = useSession();
  return isSuperAdmin(user) ? <FirstSteps /> : <NotPermitted />;
};

const FirstSteps = () => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(firstSteps);
  const [isReceiptUnseen, setReceiptUnseen] = useAtom(receiptUnseenAtom);
  const dismiss = useSetAtom(dismissedAtom);
  const [opened, setOpened] = useState<Step | null>(null);
  const [added, setAdded] = useState<AddedChannel | null>(null);
  const hasCalled = data === undefined || data.request_id !== null;
  useEffect(() => {
    if (!hasCalled) setReceiptUnseen(true);
  }, [hasCalled, setReceiptUnseen]);
  const refresh = () => void client.invalidateQueries({ queryKey: FIRST_STEPS_KEY });
  const hide = () => {
    dismiss(true);
    void navigate({ to: "/token", search: {} });
  };
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  const done = data ? doneSteps(data, isReceiptUnseen) : new Set<Step>();
  const isFinished = done.size === STEPS.length;
  const next = STEPS.find((step) => !done.has(step)) ?? null;
  const forms: Partial<Record<Step, React.ReactNode>> = data
    ? {
        channel: (
          <QuickChannelForm
            onAllSettings={() => navigate({ to: "/channel/add", search: () => ({ all: 1 }) })}
            onAdded={(channel) => {
              setAdded(channel);
              setOpened(null);
              refresh();
            }}
          />
        ),
        test: data.channel && (
          <TestStep channel={data.channel} last={added?.id === data.channel.id ? added : null} onTested={refresh} />
        ),
        prices: data.unpriced.length > 0 && <PriceStep models={data.unpriced} onSaved={refresh} />,
        key: <KeyStep onCreated={refresh} />,
        call: (
          <Button component={Link} autoFocus to="/playground" variant="contained" color="primary">
            {t("start.call.action")}
          </Button>
        ),
        receipt: data.request_id && (
          <Button
            component={Link}
            autoFocus
            to={`/log/${encodeURIComponent(data.request_id)}`}
            variant="contained"
            color="primary"
          >
            {t("start.receipt.action")}
          </Button>
        ),
      }
    : {};
  const stateOf = (step: Step): string => {
    if (!data) return "";
    if (step === "channel" && added && added.leftOut.length > 0)
      return t("start.channel.leftOut", { name: added.name, count: added.models.length, left: added.leftOut.length });
    if (step === "channel" && data.channel) return t("start.channel.done", { name: data.channel.name });
    if (step === "prices" && done.has("prices")) return t("start.prices.done", { count: data.models });
    return done.has(step) ? t(`start.${step}.done`) : t(`start.${step}.body`);
  };
  return (
    <Col gap={0} sx={{ maxWidth: WIDTH }}>
      <PageHeader
        title={t(isFinished ? "start.finished" : "start.title")}
        purpose={t(isFinished ? "start.finishedPurpose" : "start.purpose", { done: done.size, total: STEPS.length })}
        actions={<Button onClick={hide}>{t(isFinished ? "start.close" : "start.dismiss")}</Button>}
      />
      {data ? (
        <Col gap={0} sx={{ border: "1px solid", borderColor: "line.main", borderRadius: 1, overflow: "hidden" }}>
          {STEPS.map((step, place) => (
            <StepRow
              key={step}
              number={place + 1}
              title={t(`start.${step}.title`)}
              text={stateOf(step)}
              isDone={done.has(step)}
              isOpen={(opened ?? next) === step}
              onOpen={forms[step] ? () => setOpened(step) : undefined}
            >
              {forms[step]}
            </StepRow>
          ))}
        </Col>
      ) : (
        <Skeleton variant="rounded" height={460} />
      )}
    </Col>
  );
};
