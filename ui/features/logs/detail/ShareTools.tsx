import Forum from "@mui/icons-material/ForumOutlined";
import OpenInNew from "@mui/icons-material/OpenInNewOutlined";
import Button from "@mui/material/Button";
import { Link } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import { useSetAtom } from "jotai";
import { useTranslation } from "react-i18next";
import type { PlanDraw, Receipt } from "../../../../src/billing/types.ts";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import {
  groupRatioLabel,
  includedText,
  linePriceText,
  roundingLabel,
  signed,
} from "../../../components/display/Receipt.tsx";
import { receiptSums } from "../../../components/display/receipt-sums.ts";
import { Row } from "../../../components/layout.tsx";
import { siteOrigin } from "../../../lib/base-path.ts";
import { formatNumber } from "../../../lib/format/number.ts";
import { isRecord } from "../../../lib/json.ts";
import { gatewayAddress } from "../../../lib/snippets/examples.ts";
import { useSite } from "../../../state/site-status.ts";
import {
  type Answer,
  type Chat,
  chatToOpenAtom,
  emptyAnswer,
  newChat,
  type Turn,
  type WireMessage,
} from "../../playground/chat/chat.ts";
import { codeOf } from "../../playground/chat/code.ts";
import { elapsedMsOf, firstTokenMsOf, groupOf, type LogEntry, otherOf } from "../entries/log-entry.ts";

/** A logged chat: the system prompt, and the messages before, with and after the last question, as texts. */
type LoggedChat = Readonly<{ system: string; earlier: readonly Message[]; question: string; answer: string }>;
type Message = Readonly<{ role: "user" | "assistant"; content: string }>;

/** The chat of the row; null if its content is not logged or it is no chat. Long texts are as truncated as the log has them. */
export function loggedChat(entry: LogEntry): LoggedChat | null {
  const { system_prompt: system = "", context, input_content: question, output_content: answer = "" } = otherOf(entry);
  if (!question || !(system || context || answer)) return null;
  return { system, earlier: context ? messagesIn(context) : [], question, answer };
}

/** The user's and the model's messages of a logged conversation; none if its text was truncated. */
function messagesIn(context: string): Message[] {
  let messages: unknown;
  try {
    messages = JSON.parse(context);
  } catch {
    return [];
  }
  if (!Array.isArray(messages)) return [];
  return messages.filter(isRecord).flatMap(({ role, content }): Message[] => {
    const isMessage = role === "user" || role === "assistant";
    return isMessage && typeof content === "string" && content !== "" ? [{ role, content }] : [];
  });
}

/** The logged call as a chat of the playground: each question with the model's answer, ready to be asked again. */
export function replayedChat(entry: LogEntry, { system, earlier, question, answer }: LoggedChat): Chat {
  const model = entry.model_name;
  const turns: Turn[] = [];
  for (const { role, content } of [...earlier, { role: "user", content: question } as const]) {
    const last = turns.at(-1);
    if (role === "user") turns.push(turnOf(model, content, ""));
    else if (last) turns[turns.length - 1] = turnOf(model, last.text, content);
  }
  turns[turns.length - 1] = turnOf(model, question, answer, figuresOf(entry));
  const chat = newChat();
  const settings = { ...chat.settings, group: groupOf(entry), models: [model], system };
  return { ...chat, title: question.slice(0, TITLE_LENGTH), settings, turns };
}

const TITLE_LENGTH = 40;

const turnOf = (model: string, text: string, answer: string, figures: Partial<Answer> = {}): Turn => ({
  id: crypto.randomUUID(),
  text,
  images: [],
  answers: [{ ...emptyAnswer(model), ...figures, status: "complete", content: answer }],
});

function figuresOf(entry: LogEntry): Partial<Answer> {
  const other = otherOf(entry);
  return {
    promptTokens: entry.prompt_tokens,
    completionTokens: entry.completion_tokens,
    firstMs: firstTokenMsOf(other) ?? 0,
    totalMs: elapsedMsOf(entry),
    requestId: other.request_id ?? entry.request_id,
  };
}

/** The logged call as the body of a chat request. */
export function replayedBody(entry: LogEntry, { system, earlier, question }: LoggedChat) {
  const messages: WireMessage[] = [
    ...(system ? [{ role: "system", content: system } as const] : []),
    ...earlier,
    { role: "user", content: question },
  ];
  return { model: entry.model_name, messages };
}

/** Shares a call: its receipt as text, its link, its own page; repeats it. */
export const ShareTools = ({ entry, isPage }: { entry: LogEntry; isPage: boolean }) => {
  const { t } = useTranslation();
  const { receipt, request_id: noted, plan_draws: planDraws } = otherOf(entry);
  const requestId = noted ?? entry.request_id;
  if (!requestId) return null;
  const path = `/log/${encodeURIComponent(requestId)}`;
  return (
    <Row gap={2} wrap sx={{ mb: 4 }}>
      {!isPage && (
        <Button component={Link} to={path} size="small" variant="text" startIcon={<OpenInNew />}>
          {t("logs.share.open")}
        </Button>
      )}
      <CopyButton text={siteOrigin() + path} words={t("logs.share.link")} />
      {receipt && (
        <CopyButton text={receiptText(entry, receipt, requestId, t, planDraws)} words={t("logs.share.receipt")} />
      )}
      <ReplayTools entry={entry} />
    </Row>
  );
};

/** Repeats a chat whose content is logged: in the playground, or from a terminal. */
const ReplayTools = ({ entry }: { entry: LogEntry }) => {
  const { t } = useTranslation();
  const site = useSite();
  const openChat = useSetAtom(chatToOpenAtom);
  const chat = loggedChat(entry);
  if (!chat) return null;
  const curl = () => codeOf("curl", replayedBody(entry, chat), `${gatewayAddress(site?.server_address)}/v1`);
  return (
    <>
      <Button
        component={Link}
        to="/playground"
        size="small"
        variant="text"
        startIcon={<Forum />}
        onClick={() => openChat(replayedChat(entry, chat))}
      >
        {t("logs.share.playground")}
      </Button>
      <CopyButton text={curl} words={t("logs.share.curl")} />
    </>
  );
};

/** A receipt as plain text: the model, each line item, what the group and rounding change, and the total. */
export function receiptText(
  entry: LogEntry,
  receipt: Receipt,
  requestId: string,
  t: TFunction,
  planDraws: readonly PlanDraw[] = [],
): string {
  const sums = receiptSums(receipt);
  const item = (name: string) => t(`receipt.items.${name}`, { defaultValue: name });
  const included = planDraws.find(({ calls }) => calls !== undefined);
  const paidByPlan = included && [
    `${t("receipt.value")}: $${sums.charged}`,
    `${includedText(included, t)}: −$${sums.charged}`,
  ];
  const adjustment = sums.groupAdjustment && ` (${signed(sums.groupAdjustment)})`;
  return [
    `${entry.model_name} · ${new Date(entry.created_at * 1000).toISOString()} · ${requestId}`,
    ...sums.lines.map(
      ({ item: name, quantity, price, amount }) =>
        `${item(name)}: ${formatNumber(Number(quantity))} × ${linePriceText(price, t)} = $${amount}`,
    ),
    `${groupRatioLabel(entry.group, receipt, t)}: × ${receipt.groupRatio}${adjustment ?? ""}`,
    ...(sums.rounding ? [`${roundingLabel(sums, t)}: ${signed(sums.rounding)}`] : []),
    ...(paidByPlan ?? []),
    `${t("receipt.charged")}: $${included ? 0 : sums.charged} (${t("components.money.units", { units: formatNumber(included ? 0 : receipt.total) })})`,
  ].join("\n");
}
