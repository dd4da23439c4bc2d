import Check from "@mui/icons-material/Check";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import ButtonBase from "@mui/material/ButtonBase";
import Skeleton from "@mui/material/Skeleton";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useAtom, useSetAtom } from "jotai";
import { type ReactNode, useEffect, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { Col, PageHeader, Row } from "../../../components/layout.tsx";
import { receiptUnseenAtom } from "../../../components/page/use-seen-receipt.ts";
import { useSession } from "../../../state/session.ts";
import { isSuperAdmin } from "../../../state/stored-user.ts";
import type { AddedChannel } from "../../channels/quick/add-channel.ts";
import { QuickChannelForm } from "../../channels/quick/QuickChannelForm.tsx";
import { dismissedAtom, doneSteps, FIRST_STEPS_KEY, firstSteps, STEPS, type Step } from "./first-steps.ts";
import { NewUserPage } from "./NewUserPage.tsx";
import { KeyStep, PriceStep, TestStep } from "./step-forms.tsx";

type StepRowProps = Readonly<{
  number: number;
  title: string;
  /** What to do, or what was done. */
  text: string;
  isDone: boolean;
  isOpen: boolean;
  /** Undefined: this step can't be opened yet. */
  onOpen: (() => void) | undefined;
  /** The step's form, shown while it is open. */
  children: ReactNode;
}>;

/** A step of a list: its tick, what it is for and, while it is open, its form. */
const StepRow = ({ number, title, text, isDone, isOpen, onOpen, children }: StepRowProps) => {
  const { t } = useTranslation();
  const id = useId();
  const isExpanded = isOpen && Boolean(children);
  const head = (
    <>
      <Mark
        number={number}
        isDone={isDone}
        isCurrent={isOpen}
        label={t(isDone ? "firstSteps.isDone" : "firstSteps.isOpen")}
      />
      <Box sx={{ flex: 1, minWidth: 0, textAlign: "left" }}>
        <Box sx={{ fontSize: 14, fontWeight: isOpen ? 620 : 520, color: isDone ? "text.secondary" : "text.primary" }}>
          {title}
        </Box>
        <Box sx={{ fontSize: 12.5, lineHeight: "18px", color: "text.tertiary", overflowWrap: "anywhere" }}>{text}</Box>
      </Box>
    </>
  );
  return (
    <Box
      component="section"
      aria-label={title}
      sx={{
        bgcolor: isOpen ? "surface.paper" : "surface.sunken",
        "& + &": { borderTop: "1px solid", borderColor: "line.main" },
      }}
    >
      {isExpanded || !onOpen ? (
        <Row gap={3} sx={{ px: { xs: 3, sm: 4 }, py: 3 }}>
          {head}
        </Row>
      ) : (
        <ButtonBase
          onClick={onOpen}
          aria-expanded={false}
          aria-controls={id}
          sx={{ width: "100%", gap: 3, px: { xs: 3, sm: 4 }, py: 3, "&:hover": { bgcolor: "surface.hover" } }}
        >
          {head}
        </ButtonBase>
      )}
      <Box id={id} hidden={!isExpanded} sx={{ pl: { xs: 3, sm: 14 }, pr: { xs: 3, sm: 4 }, pb: 4 }}>
        {isExpanded && children}
      </Box>
    </Box>
  );
};

type MarkProps = Readonly<{ number: number; isDone: boolean; isCurrent: boolean; label: string }>;

const Mark = ({ number, isDone, isCurrent, label }: MarkProps) => (
  <Box
    role="img"
    aria-label={label}
    sx={{
      width: 28,
      height: 28,
      flex: "none",
      display: "grid",
      placeItems: "center",
      borderRadius: "50%",
      border: "1px solid",
      borderColor: isDone ? "tone.ok.line" : isCurrent ? "primary.main" : "line.strong",
      bgcolor: isDone ? "tone.ok.tint" : "transparent",
      color: isDone ? "tone.ok.text" : isCurrent ? "primary.main" : "text.tertiary",
      fontSize: 13,
      fontWeight: 600,
      "& svg": { fontSize: 17 },
    }}
  >
    {isDone ? <Check /> : number}
  </Box>
);

const WIDTH = 760;

/** What is left to do until the first call of a new gateway; each step is ticked by what is stored. */
export const StartPage = () => {
  const { user } = useSession();
  return isSuperAdmin(user) ? <FirstSteps /> : <NewUserPage />;
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
            {t("firstSteps.call.action")}
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
            {t("firstSteps.receipt.action")}
          </Button>
        ),
      }
    : {};
  const stateOf = (step: Step): string => {
    if (!data) return "";
    if (step === "channel" && added && added.leftOut.length > 0)
      return t("firstSteps.channel.leftOut", {
        name: added.name,
        count: added.models.length,
        left: added.leftOut.length,
      });
    if (step === "channel" && data.channel) return t("firstSteps.channel.done", { name: data.channel.name });
    if (step === "prices" && done.has("prices")) return t("firstSteps.prices.done", { count: data.models });
    return done.has(step) ? t(`firstSteps.${step}.done`) : t(`firstSteps.${step}.body`);
  };
  return (
    <Col gap={0} sx={{ maxWidth: WIDTH }}>
      <PageHeader
        title={t(isFinished ? "firstSteps.finished" : "firstSteps.title")}
        purpose={t(isFinished ? "firstSteps.finishedPurpose" : "firstSteps.purpose", {
          done: done.size,
          total: STEPS.length,
        })}
        actions={<Button onClick={hide}>{t(isFinished ? "firstSteps.close" : "firstSteps.dismiss")}</Button>}
      />
      {data ? (
        <Col gap={0} sx={{ border: "1px solid", borderColor: "line.main", borderRadius: 1, overflow: "hidden" }}>
          {STEPS.map((step, place) => (
            <StepRow
              key={step}
              number={place + 1}
              title={t(`firstSteps.${step}.title`)}
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
