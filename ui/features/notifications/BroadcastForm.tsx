import Button from "@mui/material/Button";
import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { useConfirm } from "../../components/confirm.tsx";
import { Col, Field, Panel } from "../../components/layout.tsx";
import { notifyError } from "../../components/notify.tsx";
import { LabelledInput } from "../login/LabelledInput.tsx";
import { BROADCAST_EVENTS, type BroadcastEvent, broadcastProgress, startBroadcast } from "./broadcast-calls.ts";

const LONGEST_TITLE = 100;
const LINES = 6;

/** Writes a notice to everybody who wants to hear of such things. */
export const BroadcastForm = ({ isBusy }: { isBusy: boolean }) => {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const queries = useQueryClient();
  const id = useId();
  const [event, setEvent] = useState<BroadcastEvent>("announcement");
  const [title, setTitle] = useState("");
  const [content, setContent] = useState("");
  const start = useMutation({
    mutationFn: () => startBroadcast({ event, title, content }),
    onSuccess: (progress) => {
      queries.setQueryData(broadcastProgress.queryKey, progress);
      setTitle("");
      setContent("");
    },
    onError: notifyError,
  });
  const submit = async (submitted: FormEvent) => {
    submitted.preventDefault();
    const isSure = await confirm({
      title: t("notifications.broadcast.confirmTitle"),
      body: t("notifications.broadcast.confirmBody", { event: t(`notifications.events.${event}`), title }),
      action: t("notifications.broadcast.send"),
    });
    if (isSure) start.mutate();
  };
  return (
    <Panel title={t("notifications.broadcast.write")}>
      <form onSubmit={(submitted) => void submit(submitted)} noValidate>
        <Col gap={4} sx={{ maxWidth: 560 }}>
          <Field label={t("notifications.broadcast.kind")} hint={t("notifications.broadcast.kindHint")}>
            <Select
              fullWidth
              value={event}
              onChange={({ target }) => setEvent(target.value)}
              inputProps={{ "aria-label": t("notifications.broadcast.kind") }}
            >
              {BROADCAST_EVENTS.map((name) => (
                <MenuItem key={name} value={name}>
                  {t(`notifications.events.${name}`)}
                </MenuItem>
              ))}
            </Select>
          </Field>
          <LabelledInput
            label={t("notifications.broadcast.title")}
            name="title"
            maxCharacters={LONGEST_TITLE}
            value={title}
            onChange={setTitle}
          />
          <Field label={t("notifications.broadcast.content")} htmlFor={`${id}content`}>
            <OutlinedInput
              id={`${id}content`}
              fullWidth
              multiline
              minRows={LINES}
              value={content}
              onChange={({ target }) => setContent(target.value)}
            />
          </Field>
          <Button
            type="submit"
            variant="contained"
            color="primary"
            loading={start.isPending}
            disabled={isBusy || title.trim() === "" || content.trim() === ""}
            sx={{ alignSelf: "flex-start" }}
          >
            {t("notifications.broadcast.send")}
          </Button>
        </Col>
      </form>
    </Panel>
  );
};
