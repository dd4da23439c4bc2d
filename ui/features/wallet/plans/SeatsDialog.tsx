import Box from "@mui/material/Box";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { SubscriptionView } from "../../../../src/domain/wallet/plans/plans.ts";
import { amountText, useMoneyFormat } from "../../../components/display/Money.tsx";
import { FormDialog } from "../../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { useCheckedForm } from "../../../components/inputs/use-checked-form.ts";
import { Col, Field } from "../../../components/layout.tsx";
import { formatDate } from "../../../lib/format/time.ts";
import { reloadWallet } from "../wallet-calls.ts";
import { setSeats } from "./plan-calls.ts";

/** Whether text is a number of seats, at least those of the plan; how many there can be the server says. */
export const isSeats = (text: string, least: number): boolean => /^\d{1,9}$/.test(text.trim()) && Number(text) >= least;

type SeatsFieldProps = Readonly<{
  least: number;
  /** Quota units of each further seat. */
  seatPrice: number;
  value: string;
  onChange: (value: string) => void;
  /** What the server refused. */
  problem?: string | null;
}>;

/** How many seats an organization has in all. */
export const SeatsField = ({ least, seatPrice, value, onChange, problem = null }: SeatsFieldProps) => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const isWrong = !isSeats(value, least);
  return (
    <Field
      label={t("plans.seatsField")}
      htmlFor="subscription-seats"
      hint={t("plans.seatsHint", { least, price: amountText(seatPrice, format) })}
      error={isWrong ? t("plans.seatsInvalid", { least }) : problem}
    >
      <OutlinedInput
        id="subscription-seats"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        error={isWrong}
        inputProps={{ inputMode: "numeric", className: "num" }}
        sx={{ width: 110 }}
      />
    </Field>
  );
};

type SeatsDialogProps = Readonly<{ subscription: SubscriptionView; least: number; onClose: () => void }>;

/** Changes how many seats a subscription of an organization has. */
export const SeatsDialog = ({ subscription: own, least, onClose }: SeatsDialogProps) => {
  const { t, i18n } = useTranslation();
  const client = useQueryClient();
  const { form, change, problem, isSaving, submit } = useCheckedForm({
    initial: { seats: String(own.next_seats ?? own.seats ?? least) },
    check: ({ seats }) => ({ seats: isSeats(seats, least) ? undefined : "seatsInvalid" }),
    rejection: "inline",
    send: async ({ seats }) => {
      await setSeats(own.id, Number(seats));
      await reloadWallet(client);
      notifyDone(t("plans.saved"));
      onClose();
    },
  });
  return (
    <FormDialog
      title={t("plans.seatsTitle", { name: own.plan_name })}
      action={t("plans.seatsChange")}
      isBusy={isSaving}
      onClose={onClose}
      onSubmit={submit}
    >
      <Col gap={4}>
        <Box sx={{ fontSize: 13 }}>
          {t("plans.seatsBody", {
            date: formatDate(own.period_end * 1000, i18n.language, { dateStyle: "medium" }),
          })}
        </Box>
        <SeatsField
          least={least}
          seatPrice={own.seat_price}
          value={form.seats}
          onChange={(seats) => change({ seats })}
          problem={problem}
        />
      </Col>
    </FormDialog>
  );
};
