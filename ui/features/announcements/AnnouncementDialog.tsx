import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { DateTimeInput } from "../../components/DateTimeInput.tsx";
import { Col, Field } from "../../components/layout.tsx";
import { notifyDone, notifyError } from "../../components/notify.tsx";
import { SwitchRow } from "../../components/SwitchRow.tsx";
import { LabelledInput } from "../login/LabelledInput.tsx";
import { FormDialog } from "../wallet/FormDialog.tsx";
import { WALLET_KEY } from "../wallet/wallet-calls.ts";
import { type AnnouncementView, LEVELS, receivedAnnouncements, saveAnnouncement } from "./announcement-calls.ts";

const LONGEST_TITLE = 100;
const LONGEST_CONTENT = 5000;

/** Writes an announcement, or changes one. */
export const AnnouncementDialog = ({ stored, onClose }: { stored: AnnouncementView | null; onClose: () => void }) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const id = useId();
  const [form, setForm] = useState({
    level: stored?.level ?? "info",
    title: stored?.title ?? "",
    content: stored?.content ?? "",
    publishedAt: (stored?.published_at ?? Math.floor(Date.now() / 1000)) as number | null | undefined,
  });
  const [notifies, setNotifies] = useState(false);
  const [isTried, setTried] = useState(false);
  const isLater = (form.publishedAt ?? 0) * 1000 > Date.now();
  const { level, title, content, publishedAt } = form;
  const isIncomplete = title.trim() === "" || content.trim() === "" || !publishedAt;
  const save = useMutation({
    mutationFn: () =>
      saveAnnouncement(
        { level, title, content, published_at: publishedAt ?? 0 },
        stored?.id ?? null,
        notifies && !isLater,
      ),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: WALLET_KEY });
      void client.invalidateQueries({ queryKey: receivedAnnouncements.queryKey });
      notifyDone(t("announcements.form.saved"));
      onClose();
    },
    onError: notifyError,
  });
  const missing = (value: unknown) => (isTried && !value ? t("announcements.form.missing") : undefined);
  return (
    <FormDialog
      title={t(stored ? "announcements.form.edit" : "announcements.form.add")}
      action={t(stored ? "announcements.form.save" : "announcements.form.publish")}
      isBusy={save.isPending}
      onClose={onClose}
      onSubmit={() => {
        setTried(true);
        if (!isIncomplete) save.mutate();
      }}
    >
      <Col gap={4}>
        <Field label={t("announcements.form.level")}>
          <Select
            fullWidth
            value={level}
            onChange={({ target }) => setForm({ ...form, level: target.value })}
            inputProps={{ "aria-label": t("announcements.form.level") }}
          >
            {LEVELS.map((name) => (
              <MenuItem key={name} value={name}>
                {t(`announcements.levels.${name}`)}
              </MenuItem>
            ))}
          </Select>
        </Field>
        <LabelledInput
          label={t("announcements.form.title")}
          name="title"
          maxCharacters={LONGEST_TITLE}
          value={title}
          error={missing(title.trim())}
          onChange={(next) => setForm({ ...form, title: next })}
        />
        <Field
          label={t("announcements.form.content")}
          htmlFor={`${id}content`}
          hint={t("announcements.form.contentHint")}
          error={missing(content.trim())}
        >
          <OutlinedInput
            id={`${id}content`}
            fullWidth
            multiline
            minRows={6}
            maxRows={14}
            value={content}
            inputProps={{ maxLength: LONGEST_CONTENT }}
            onChange={({ target }) => setForm({ ...form, content: target.value })}
          />
        </Field>
        <Field
          label={t("announcements.form.time")}
          hint={isLater && t("announcements.form.later")}
          error={missing(publishedAt)}
        >
          <DateTimeInput
            label={t("announcements.form.time")}
            value={publishedAt ?? null}
            onChange={(next) => setForm({ ...form, publishedAt: next })}
            hasError={isTried && !publishedAt}
          />
        </Field>
        {!stored && !isLater && (
          <SwitchRow
            label={t("announcements.form.notify")}
            hint={t("announcements.form.notifyHint")}
            isOn={notifies}
            onChange={setNotifies}
          />
        )}
      </Col>
    </FormDialog>
  );
};
