import Send from "@mui/icons-material/ArrowUpward";
import Attach from "@mui/icons-material/AttachFileOutlined";
import Stop from "@mui/icons-material/StopCircleOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import InputBase from "@mui/material/InputBase";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Row, usePhone } from "../../../components/layout.tsx";
import { Tip } from "../../../components/tip/Tip.tsx";
import { ACCEPTED } from "../chat/attachments.ts";
import type { Attachment } from "../chat/chat.ts";
import { AttachmentChips } from "./AttachmentChips.tsx";
import { useAttachments } from "./use-attachments.ts";

type Props = Readonly<{
  /** The question being edited; its text and files fill the composer. */
  text: string;
  attachments: readonly Attachment[];
  isEditing: boolean;
  isRunning: boolean;
  /** Stands next to the buttons once there is something to send. */
  hint: (text: string, attachments: readonly Attachment[]) => ReactNode;
  onSend: (text: string, attachments: readonly Attachment[]) => void;
  onStop: () => void;
  onCancel: () => void;
  /** Edits the last question; null: there is none. */
  onEditLast: (() => void) | null;
  /** More buttons. */
  tools?: ReactNode;
}>;

/**
 * The input for questions, with files that are picked, pasted or dropped. Enter sends, Shift+Enter starts a new line, Escape stops, and ↑ in the empty
 * field edits the last question.
 */
export const Composer = ({
  isEditing,
  isRunning,
  hint,
  onSend,
  onStop,
  onCancel,
  onEditLast,
  tools,
  ...start
}: Props) => {
  const { t } = useTranslation();
  const isPhone = usePhone();
  const [text, setText] = useState(start.text);
  const files = useAttachments(start.attachments);
  const picker = useRef<HTMLInputElement>(null);
  const isEmpty = text.trim() === "" && files.attachments.length === 0;
  const canSend = !isRunning && !isEmpty;
  const send = () => {
    if (!canSend) return;
    onSend(text, files.attachments);
    setText("");
    files.clear();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter also confirms an IME composition, and Escape ends it.
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      send();
    } else if (event.key === "Escape" && (isRunning || isEditing)) {
      event.preventDefault();
      if (isRunning) onStop();
      else onCancel();
    } else if (event.key === "ArrowUp" && isEmpty && !isRunning && onEditLast) {
      event.preventDefault();
      onEditLast();
    }
  };
  return (
    <Box
      {...files.dropTarget}
      sx={{
        ...{ p: 2, border: "1px solid", borderColor: "line.strong", borderRadius: 2, bgcolor: "surface.paper" },
        "&:focus-within": { borderColor: "primary.main" },
        ...(files.isOver && { borderStyle: "dashed", borderColor: "primary.main", bgcolor: "surface.selected" }),
      }}
    >
      <AttachmentChips attachments={files.attachments} onRemove={files.remove} />
      <InputBase
        autoFocus={!isPhone}
        fullWidth
        multiline
        minRows={isPhone ? 1 : 2}
        maxRows={12}
        value={text}
        placeholder={t("playground.ask")}
        inputProps={{ "aria-label": t("playground.ask") }}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={files.onPaste}
        // The frame around it shows the focus.
        sx={{ px: 1, fontSize: 14, "& :focus-visible": { outline: "none !important" } }}
      />
      <Row gap={2} wrap sx={{ mt: 1 }}>
        <input
          ref={picker}
          type="file"
          accept={ACCEPTED}
          multiple
          hidden
          onChange={(event) => {
            files.add([...(event.target.files ?? [])]);
            event.target.value = "";
          }}
        />
        <Tip title={t("playground.addFile")}>
          <IconButton aria-label={t("playground.addFile")} onClick={() => picker.current?.click()}>
            <Attach />
          </IconButton>
        </Tip>
        {tools}
        <Box sx={{ flex: 1, minWidth: 0, textAlign: { md: "right" } }}>{canSend && hint(text, files.attachments)}</Box>
        {isEditing && <Button onClick={onCancel}>{t("playground.cancelEdit")}</Button>}
        {isRunning ? (
          <Button variant="contained" color="primary" startIcon={<Stop />} onClick={onStop}>
            {t("playground.stop")}
          </Button>
        ) : (
          <Button variant="contained" color="primary" startIcon={<Send />} disabled={!canSend} onClick={send}>
            {t("playground.send")}
          </Button>
        )}
      </Row>
    </Box>
  );
};
