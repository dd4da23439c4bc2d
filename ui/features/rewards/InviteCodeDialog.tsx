import OutlinedInput from "@mui/material/OutlinedInput";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Field } from "../../components/layout.tsx";
import { notifyDone } from "../../components/notify.tsx";
import { FormDialog } from "../wallet/FormDialog.tsx";
import { invitation, setInviteCode } from "./rewards-calls.ts";

const CODE = /^[a-z0-9_]{4,16}$/;

/** Chooses one's invitation code, once for all. */
export const InviteCodeDialog = ({ onClose }: { onClose: () => void }) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [code, setCode] = useState("");
  const [isTried, setTried] = useState(false);
  const save = useMutation({
    mutationFn: () => setInviteCode(code),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: invitation.queryKey });
      notifyDone(t("rewards.code.done"));
      onClose();
    },
  });
  const isWrong = !CODE.test(code);
  const error = isTried && isWrong ? t("rewards.code.malformed") : save.error?.message;
  return (
    <FormDialog
      title={t("rewards.code.title")}
      action={t("rewards.code.action")}
      isBusy={save.isPending}
      onClose={onClose}
      onSubmit={() => {
        setTried(true);
        if (!isWrong) save.mutate();
      }}
    >
      <Field label={t("rewards.code.label")} htmlFor="invite-code" hint={t("rewards.code.hint")} error={error}>
        <OutlinedInput
          id="invite-code"
          fullWidth
          autoFocus
          value={code}
          onChange={(event) => setCode(event.target.value.trim())}
          error={Boolean(error)}
          inputProps={{ maxLength: 16, autoComplete: "off", className: "mono" }}
        />
      </Field>
    </FormDialog>
  );
};
