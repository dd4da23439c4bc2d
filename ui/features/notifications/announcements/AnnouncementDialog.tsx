import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import { useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { NOTICE_LIMITS } from "../../../../src/domain/notifications/notice-rules.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { FormDialog } from "../../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { DateTimeInput } from "../../../components/inputs/date-time/DateTimeInput.tsx";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
import { SwitchRow } from "../../../components/inputs/SwitchRow.tsx";
import { Col, Field } from "../../../components/layout.tsx";
import { type AnnouncementView, LEVELS, receivedAnnouncements, saveAnnouncement } from "./announcement-calls.ts";

type Form = {
  level: string;
  title: string;
  content: string;
  /** Epoch seconds; null or undefined: not a valid time. */
  publishedAt: number | null | undefined;
  notifies: boolean;
};

const newForm = (stored: AnnouncementView | null): Form => ({
  level: stored?.level ?? "info",
  title: stored?.title ?? "",
  content: stored?.content ?? "",
  publishedAt: stored?.published_at ?? Math.floor(Date.now() / 1000),
  notifies: false,
});

const isLater = (seconds: number | null | undefined): boolean => (seconds ?? 0) * 1000 > Date.now();

/** Creates or edits an announcement. */
export const AnnouncementDialog = ({ stored, onClose }: { stored: AnnouncementView | null; onClose: () => void }) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const id = useId();
  const { form, change, faults, isSaving, submit } = useCheckedForm({
    initial: newForm(stored),
    check: ({ title, content, publishedAt }) => ({
      ...(title.trim() === "" && { title: "missing" }),
      ...(content.trim() === "" && { content: "missing" }),
      ...(!publishedAt && { publishedAt: "missing" }),
    }),
    send: async ({ publishedAt, notifies, ...input }) => {
      const published = publishedAt ?? 0;
      await saveAnnouncement(
        { ...input, published_at: published },
        stored?.id ?? null,
        notifies && !isLater(published),
      );
      await client.invalidateQueries({ queryKey: WALLET_KEY });
      void client.invalidateQueries({ queryKey: receivedAnnouncements.queryKey });
      notifyDone(t("announcements.form.saved"));
      onClose();
    },
  });
  const { level, title, content, publishedAt, notifies } = form;
  const errorOf = (field: keyof Form) => faults[field] && t(`announcements.form.${faults[field]}`);
  return (
    <FormDialog
      title={t(stored ? "announcements.form.edit" : "announcements.form.add")}
      action={t(stored ? "announcements.form.save" : "announcements.form.publish")}
      isBusy={isSaving}
      onClose={onClose}
      onSubmit={submit}
    >
      <Col gap={4}>
        <Field label={t("announcements.form.level")}>
          <Select
            fullWidth
            value={level}
            onChange={({ target }) => change({ level: target.value })}
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
          maxCharacters={NOTICE_LIMITS.title}
          value={title}
          error={errorOf("title")}
          onChange={(next) => change({ title: next })}
        />
        <Field
          label={t("announcements.form.content")}
          htmlFor={`${id}content`}
          hint={t("announcements.form.contentHint")}
          error={errorOf("content")}
        >
          <OutlinedInput
            id={`${id}content`}
            fullWidth
            multiline
            minRows={6}
            maxRows={14}
            value={content}
            inputProps={{ maxLength: NOTICE_LIMITS.content }}
            onChange={({ target }) => change({ content: target.value })}
          />
        </Field>
        <Field
          label={t("announcements.form.time")}
          hint={isLater(publishedAt) && t("announcements.form.later")}
          error={errorOf("publishedAt")}
        >
          <DateTimeInput
            label={t("announcements.form.time")}
            value={publishedAt ?? null}
            onChange={(next) => change({ publishedAt: next })}
            hasError={faults.publishedAt !== undefined}
          />
        </Field>
        {!stored && !isLater(publishedAt) && (
          <SwitchRow
            label={t("announcements.form.notify")}
            hint={t("announcements.form.notifyHint")}
            isOn={notifies}
            onChange={(next) => change({ notifies: next })}
          />
        )}
      </Col>
    </FormDialog>
  );
};
