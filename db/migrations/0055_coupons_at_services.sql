ALTER TABLE "plan_orders" ADD COLUMN "coupon_id" integer;--> statement-breakpoint
ALTER TABLE "plan_orders" ADD COLUMN "first_money" numeric(20, 2);--> statement-breakpoint
ALTER TABLE "plan_orders" ADD COLUMN "first_tax" numeric(20, 2);--> statement-breakpoint
ALTER TABLE "plan_payments" ADD COLUMN "is_discounted" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "plan_orders" ADD CONSTRAINT "plan_orders_coupon_id_coupons_id_fk" FOREIGN KEY ("coupon_id") REFERENCES "public"."coupons"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "plan_orders_coupon_idx" ON "plan_orders" USING btree ("coupon_id") WHERE "plan_orders"."status" = 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX "plan_payments_discounted_key" ON "plan_payments" USING btree ("order_id") WHERE "plan_payments"."is_discounted";