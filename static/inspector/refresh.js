// Asks whether the list still holds, unless somebody is using it.

import { $, all, poll } from "./dom.js";

const isInUse = () => all(".htmx-request, #sessions :is(input, select, textarea):focus").length || !getSelection().isCollapsed;

poll(() => { if ($("refresh") && !isInUse()) htmx.trigger("#refresh", "refresh"); }, 10_000);
