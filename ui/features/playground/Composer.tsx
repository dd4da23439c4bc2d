import ImageIcon from "@mui/icons-material/AddPhotoAlternateOutlined";
import Send from "@mui/icons-material/ArrowUpward";
import Stop from "@mui/icons-material/StopCircleOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import OutlinedInput from "@mui/material/OutlinedInput";
import { type ReactNode, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { notifyError } from "../../components/feedback/notify.tsx";
import { Row, usePhone } from "../../components/layout.tsx";
import { Tip } from "../../components/tip/Tip.tsx";

type Props = Readonly<{
  /** The question being edited; its text fills the field. */
  text: string;
  images: readonly string[];
  isEditing: boolean;
  isRunning: boolean;
  /** Stands next to the buttons once there is something to send. */
  hint: (text: string, images: readonly string[]) => ReactNode;
  onSend: (text: string, images: readonly string[]) => void;
  onStop: () => void;
  onCancel: () => void;
}>;

/** The input for questions. Enter sends, Shift+Enter starts a new line. */
export const Composer = ({ isEditing, isRunning, hint, onSend, onStop, onCancel, ...start }: Props) => {
  const { t } = useTranslation();
  const isPhone = usePhone();
  const [text, setText] = useState(start.text);
  const [images, setImages] = useState(start.images);
  const picker = useRef<HTMLInputElement>(null);
  const canSend = !isRunning && (text.trim() !== "" || images.length > 0);
  const send = () => {
    if (!canSend) return;
    onSend(text, images);
    setText("");
    setImages([]);
  };
  const attach = async (files: readonly File[]) => {
    try {
      const urls = await Promise.all(files.map(dataUrlOf));
      setImages((all) => [...all, ...urls]);
    } catch (error) {
      notifyError(error);
    }
  };
  return (
    <Box>
      <Row gap={2} wrap sx={{ mb: images.length > 0 ? 2 : 0 }}>
        {images.map((url) => (
          <Tip key={url} title={t("playground.removeImage")}>
            <Box
              component="button"
              type="button"
              aria-label={t("playground.removeImage")}
              onClick={() => setImages((all) => all.filter((other) => other !== url))}
              sx={{ p: 0, border: 0, bgcolor: "transparent", cursor: "pointer" }}
            >
              <img src={url} alt="" height={48} />
            </Box>
          </Tip>
        ))}
      </Row>
      <OutlinedInput
        autoFocus={!isPhone}
        fullWidth
        multiline
        minRows={2}
        maxRows={12}
        value={text}
        placeholder={t("playground.ask")}
        inputProps={{ "aria-label": t("playground.ask") }}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          // Enter also confirms an IME composition.
          if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <Row gap={2} sx={{ mt: 2 }}>
        <input
          ref={picker}
          type="file"
          accept="image/*"
          multiple
          hidden
          onChange={(event) => {
            void attach([...(event.target.files ?? [])]);
            event.target.value = "";
          }}
        />
        <Tip title={t("playground.addImage")}>
          <IconButton aria-label={t("playground.addImage")} onClick={() => picker.current?.click()}>
            <ImageIcon />
          </IconButton>
        </Tip>
        <Box sx={{ flex: 1, minWidth: 0 }}>{canSend && hint(text, images)}</Box>
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

const dataUrlOf = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
