import OutlinedInput from "@mui/material/OutlinedInput";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Field } from "../../components/layout.tsx";
import { notifyDone } from "../../components/notify.tsx";
import { useCheckedForm } from "../../components/use-checked-form.ts";
import { FormDialog } from "../wallet/FormDialog.tsx";
import { invitation, setInviteCode } from "./rewards-calls.ts";

const CODE = /^[a-z0-9_]{4,16}$/;

/** Chooses one's invitation code, once for all. */
export const InviteCodeDialog = ({ onClose }: { onClose: () => void }) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { form, change, faults, problem, isSaving, submit } = useCheckedForm({
    initial: { code: "" },
    check: ({ code }) => (CODE.test(code) ? {} : { code: "malformed" }),
    rejection: "inline",
    send: async ({ code }) => {
      await setInviteCode(code);
      await client.invalidateQueries({ queryKey: invitation.queryKey });
      notifyDone(t("rewards.code.done"));
      onClose();
    },
  });
  const error = faults.code ? t(`rewards.code.${faults.code}`) : problem;
  return (
    <FormDialog
      title={t("rewards.code.title")}
      action={t("rewards.code.action")}
      isBusy={isSaving}
      onClose={onClose}
      onSubmit={submit}
    >
      <Field label={t("rewards.code.label")} htmlFor="invite-code" hint={t("rewards.code.hint")} error={error}>
        <OutlinedInput
          id="invite-code"
          fullWidth
          autoFocus
          value={form.code}
          onChange={(event) => change({ code: event.target.value.trim() })}
          error={Boolean(error)}
          inputProps={{ maxLength: 16, autoComplete: "off", className: "mono" }}
        />
      </Field>
    </FormDialog>
  );
};
