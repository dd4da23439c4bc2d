import { expect, test } from "bun:test";
import type { UsageLine } from "../../../../../db/schema/wallet/statements.ts";
import type { StatementDocument } from "../documents.ts";
import { renderCsv } from "./render-csv.ts";
import { renderPdf } from "./render-pdf.ts";

const line = (name: string, quota: number): UsageLine => ({
  ...{ name, quota, calls: 2, promptTokens: 30, completionTokens: 4 },
});

const document = (values: Partial<StatementDocument> = {}): StatementDocument => ({
  ...{ id: 7, number: "ST-000007", kind: "statement", userId: 1, username: "小明", month: "2026-10" },
  ...{ opening: 500_000, credited: 250_003, charged: 3, closing: 750_000, issuedAt: 1_793_577_600 },
  content: {
    issuer: { name: "Acme GmbH", address: "Street 1\n10115 Berlin", taxId: "DE123" },
    recipient: { name: "小明", address: "", taxId: "" },
    unitsPerDollar: 500_000,
    credits: { topUps: 250_000, codes: 0, rewards: 0, plans: 0, adjustments: 3, other: 0 },
    orders: [{ tradeNo: "USR1NO9", time: 1_793_491_200, money: "0.50", currency: "USD", quota: 250_000 }],
    models: [line("gpt-4o-mini", 3)],
    keys: [line("=cmd()", 3)],
    tags: [line("team-a", 3)],
  },
  ...values,
});

test("the CSV file says what the document does, in the reader's language, and runs no formula", async () => {
  const text = await new Response(renderCsv(document(), "en")).text();
  expect(text.replace("\uFEFF", "").split("\r\n")).toEqual([
    ...["Statement", "Number,ST-000007", "Month (UTC),2026-10", "Issued,2026-11-02", ""],
    ...["Summary", ",Units,USD", "Opening balance,500000,1", "Top-ups,250000,0.5"],
    ...["Adjustments and transfers,3,0.000006", "Usage,-3,-0.000006", "Closing balance,750000,1.5", ""],
    ...["Payments", "Order,Date,Paid,Units,USD", "USR1NO9,2026-11-01,0.50 USD,250000,0.5", ""],
    ...["Usage by model", "Model,Calls,Input tokens,Output tokens,Units,USD", "gpt-4o-mini,2,30,4,3,0.000006", ""],
    ...["Usage by API key", "API key,Calls,Input tokens,Output tokens,Units,USD", "'=cmd(),2,30,4,3,0.000006", ""],
    ...["Usage by tag; a request counts in each of its tags", "Tag,Calls,Input tokens,Output tokens,Units,USD"],
    ...["team-a,2,30,4,3,0.000006", ""],
  ]);
  expect(await new Response(renderCsv(document(), "zh")).text()).toContain("期末余额,750000,1.5");
});

test("net and tax of each payment add up to what was paid, and to their sum by currency", async () => {
  const order = (money: string, amount: string, rate: string, reverseChargeTaxId = "") => ({
    ...{ tradeNo: `N${money}`, time: 1_793_491_200, money, currency: "EUR", quota: 1 },
    tax: { country: "FR", rate, amount, reverseChargeTaxId },
  });
  const orders = [
    order("12.00", "2.00", "20"),
    order("0.05", "0.01", "20"),
    order("7.00", "0.00", "0", "FR12345678901"),
    { ...order("-0.05", "-0.01", "20"), tradeNo: "N0.05", isRefund: true },
  ];
  const content = { ...document().content, orders };
  const text = await new Response(renderCsv(document({ content }), "en")).text();
  expect(text).toContain(
    [
      ...["Taxes in payments", "Order,Rate,Currency,Net,Tax,Paid", "N12.00,FR 20%,EUR,10,2,12"],
      ...["N0.05,FR 20%,EUR,0.04,0.01,0.05", "N7.00,Reverse charge: FR12345678901,EUR,7,0,7"],
      ...["Credit note N0.05,FR 20%,EUR,-0.04,-0.01,-0.05", "Total,,EUR,17,2,19"],
    ].join("\r\n"),
  );
  expect(pagesOf(await renderPdf(document({ content }), "fr", null))).toBe(1);
});

test("the PDF file has a page for each page of lines, with and without a usable logo", async () => {
  const one = await renderPdf(document(), "ja", null);
  expect(pagesOf(one)).toBe(1);
  const models = Array.from({ length: 120 }, (_, index) => line(`model-${index}`, 1));
  const long = document({ content: { ...document().content, models } });
  expect(pagesOf(await renderPdf(long, "zh", new Uint8Array([1, 2, 3])))).toBeGreaterThan(2);
});

test("a correction is a credit note or a supplementary charge, by who owes whom", async () => {
  const correction = { kind: "correction", opening: 0, credited: 0 };
  const titleOf = async (closing: number) =>
    (await new Response(renderCsv(document({ ...correction, closing, charged: -closing }), "en")).text()).slice(0, 24);
  expect(await titleOf(650)).toContain("Credit note");
  expect(await titleOf(-650)).toContain("Supplementary charge");
});

function pagesOf(pdf: Uint8Array): number {
  const text = Buffer.from(pdf).toString("latin1");
  expect(text.slice(0, 5)).toBe("%PDF-");
  return [...text.matchAll(/\/Type \/Page\n/g)].length;
}
