import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useSetAtom } from "jotai";
import { useTranslation } from "react-i18next";
import { useSeesAllUsers } from "../../../../api/accounts/use-organization.ts";
import { usableModels } from "../../../../api/api-keys/api-key.ts";
import { createSet, deleteSet, type NewSet, REPLAYS_KEY, startEvaluation } from "../../../../api/models/replays.ts";
import { ResourceForm } from "../../../../components/form/ResourceForm.tsx";
import { chatToOpenAtom } from "../../../playground/chat/chat.ts";
import { type LogEntry, otherOf } from "../../entries/log-entry.ts";
import { chatOfCall, type LoggedChat, withModel } from "./logged-chat.ts";

/** Where a call is sent again: next to its answer in the playground, or as a replay with figures and a comparison of texts. */
type ReplayPlace = "playground" | "comparison";
type ReplayForm = Readonly<{ model: string; place: ReplayPlace }>;

/** The calls of the log that are replayed. */
export type ReplayedCalls = Readonly<{
  name: string;
  maxCalls: number;
  filter: NewSet["filter"];
}>;

type CallProps = Readonly<{ entry: LogEntry; chat: LoggedChat; onClose: () => void }>;

/** Sends a call again to another model. */
export const CallReplayDialog = ({ entry, chat, onClose }: CallProps) => {
  const navigate = useNavigate();
  const openChat = useSetAtom(chatToOpenAtom);
  const isComparable = useSeesAllUsers() && otherOf(entry).admin_info?.exchange?.format !== undefined;
  const { model_name: name, created_at: at, failed } = entry;
  const requestId = otherOf(entry).request_id ?? entry.request_id ?? "";
  const calls = { name, maxCalls: 1, filter: { start: at, end: at + 1, failed, request_id: requestId } };
  return (
    <ReplayDialog
      places={isComparable ? ["playground", "comparison"] : ["playground"]}
      calls={calls}
      onPlayground={async (model) => {
        openChat(withModel(await chatOfCall(entry, chat), model));
        await navigate({ to: "/playground" });
      }}
      onClose={onClose}
    />
  );
};

type RunProps = Readonly<{ calls: ReplayedCalls; onClose: () => void }>;

/** Sends the calls of a session again to another model. */
export const SessionReplayDialog = (props: RunProps) => <ReplayDialog places={["comparison"]} {...props} />;

type Props = RunProps & Readonly<{ places: readonly ReplayPlace[]; onPlayground?: (model: string) => Promise<void> }>;

const ReplayDialog = ({ places, calls, onPlayground, onClose }: Props) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const models = useQuery(usableModels).data ?? [];
  const compare = async (model: string) => {
    const { id: set_id } = await createSet({ name: calls.name, max_calls: calls.maxCalls, filter: calls.filter });
    const target = { model };
    const { id } = await startEvaluation({ set_id, name: model, target, max_usd: 1 }).catch(async (error: unknown) => {
      // A set that nothing is replayed from helps nobody.
      await deleteSet(set_id).catch(() => undefined);
      throw error;
    });
    await navigate({ to: "/replays", search: () => ({ evaluation: id }) });
  };
  return (
    <ResourceForm<ReplayForm>
      as="dialog"
      title={t("logs.replay.title")}
      action={t("logs.replay.start")}
      isNew
      text={(name) => `logs.replay.${name}`}
      initial={{ model: "", place: places[0] ?? "playground" }}
      isComplete={({ model }) => model.trim() !== ""}
      save={async ({ model, place }) => {
        await (place === "playground" && onPlayground ? onPlayground(model.trim()) : compare(model.trim()));
        return undefined;
      }}
      reload={[{ queryKey: REPLAYS_KEY }]}
      sections={({ place }) => [
        {
          fields: [
            { kind: "text", field: "model", suggestions: models, autoFocus: true },
            places.length > 1 && {
              kind: "choice",
              field: "place",
              options: places.map((name) => [name, t(`logs.replay.places.${name}`)] as const),
            },
            <span key="hint" style={{ fontSize: 12.5 }}>
              {t(`logs.replay.hints.${place}`)}
            </span>,
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};
