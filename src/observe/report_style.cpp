// The style of the report. Colours come in pairs, for light and dark; blue, orange, green and purple are slightly
// softened colours of the palette of Okabe and Ito, which people with any colour vision can tell apart.

#include "observe/report_assets.h"

namespace lockstep {

std::string_view report_style() {
  return R"css(:root {
  --page: #f5f6f8; --card: #ffffff; --edge: #e3e6eb; --ink: #16191f; --soft: #5d6675; --faint: #8a93a2; --grid: #eceef2;
  --glow: #dfe9fd; --good: #0b7a57; --good-back: #dcf4ea; --bad: #b3261e; --bad-back: #fce5e3; --open: #7a5300;
  --open-back: #fdf0d0; --tip: #16191f; --tip-ink: #f5f6f8;
  --c0: #2268d8; --c1: #d96a0b; --c2: #0c8f6b; --c3: #b1509a; --c4: #2f9fc4; --c5: #6b7482;
  --data: #e9b93c; --forward: #2268d8; --backward: #8fb9f3; --communication: #d96a0b; --optimizer: #0c8f6b;
  --other: #c3c9d2; --own: #b1509a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e1116; --card: #161a21; --edge: #262c36; --ink: #eef1f5; --soft: #a3adbb; --faint: #78828f;
    --grid: #232933; --glow: #16253f; --good: #5fd6a8; --good-back: #12322a; --bad: #ff9a90; --bad-back: #3b1a1a;
    --open: #f1c768; --open-back: #33290f; --tip: #eef1f5; --tip-ink: #16191f;
    --c0: #6aa5ff; --c1: #ffa04d; --c2: #4ccfa3; --c3: #e08fce; --c4: #62cbea; --c5: #97a1ae;
    --data: #e6bd55; --forward: #4d8df0; --backward: #a9cbfa; --communication: #f08c36; --optimizer: #35b58b;
    --other: #4b5463; --own: #d283c0;
  }
}
* { box-sizing: border-box; }
html { color-scheme: light dark; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; color: var(--ink);
  background: radial-gradient(1100px 420px at 22% -120px, var(--glow), transparent 70%) no-repeat var(--page);
  font: 15px/1.5 Inter, "Segoe UI", system-ui, -apple-system, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial,
    sans-serif;
  font-variant-numeric: tabular-nums;
}
main { max-width: 1180px; margin: 0 auto; padding: 40px 28px 32px; }
h1, h2, h3, p, dl, dd, figure, ul, ol, pre { margin: 0; padding: 0; }
ul, ol { list-style: none; }
.card { background: var(--card); border: 1px solid var(--edge); border-radius: 14px; padding: 20px 22px; min-width: 0; }

.logo { width: 15px; height: 15px; fill: none; stroke: var(--c0); stroke-width: 4.4; stroke-linecap: round; }
.brand { display: flex; align-items: baseline; gap: 9px; font-weight: 650; letter-spacing: -.01em; }
.brand .logo { align-self: center; }
.brand span { color: var(--soft); font-weight: 400; }
.headline { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 18px; margin-top: 20px; }
h1 { font-size: clamp(28px, 4.4vw, 42px); line-height: 1.15; letter-spacing: -.028em; font-weight: 700;
  overflow-wrap: anywhere; }
.status { display: inline-flex; align-items: center; gap: 7px; padding: 4px 13px 4px 10px; border-radius: 99px;
  font-weight: 600; font-size: 14px; }
.status i { font-style: normal; font-size: 12px; }
.good { color: var(--good); background: var(--good-back); }
.bad { color: var(--bad); background: var(--bad-back); }
.open { color: var(--open); background: var(--open-back); }
.facts { display: flex; flex-wrap: wrap; gap: 2px 0; margin-top: 10px; color: var(--soft); }
.facts span:not(:last-child)::after { content: "·"; margin: 0 9px; color: var(--faint); }
.reason { margin-top: 20px; padding: 14px 18px; border-radius: 12px; white-space: pre-wrap; overflow-wrap: anywhere; }
pre, th[scope], td { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, "DejaVu Sans Mono",
  "Liberation Mono", monospace; font-size: 13px; }

.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(165px, 1fr)); gap: 14px; margin-top: 28px; }
.tiles .card { padding: 15px 20px 16px; }
dt { color: var(--soft); font-size: 13px; }
dt::first-letter { text-transform: uppercase; }
dd { margin-top: 3px; font-size: 27px; line-height: 1.2; font-weight: 650; letter-spacing: -.022em;
  overflow-wrap: anywhere; }
dd small { font-size: 16px; font-weight: 500; letter-spacing: 0; color: var(--soft); }

section { margin-top: 38px; }
h2 { font-size: 19px; letter-spacing: -.015em; font-weight: 650; margin-bottom: 14px; }
.grid { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 14px; }
.outcome .chart:first-child, .outcome .chart:last-child:nth-child(even),
.machinery .chart:last-child:nth-child(odd) { grid-column: 1 / -1; }
.empty { padding: 52px 24px; text-align: center; color: var(--soft); }
.empty h2 { color: var(--ink); margin-bottom: 6px; }

figcaption { display: flex; align-items: baseline; gap: 9px; }
figcaption .name { font-weight: 650; letter-spacing: -.01em; overflow-wrap: anywhere; }
figcaption .unit { color: var(--faint); font-size: 13px; }
figcaption .reading { margin-left: auto; font-weight: 600; white-space: nowrap; }
.legend { display: flex; flex-wrap: wrap; gap: 3px 18px; margin-top: 7px; color: var(--soft); font-size: 13px; }
.legend li { display: flex; align-items: center; gap: 7px; }
.legend b { color: var(--ink); font-weight: 550; }
.legend i { width: 16px; height: 3px; border-radius: 2px; background: var(--color); }
.legend i.faint { opacity: .38; }
.legend i.dot { width: 9px; height: 9px; border-radius: 50%; }
.legend i.box { width: 11px; height: 11px; border-radius: 3px; }
.note { margin-top: 10px; color: var(--soft); font-size: 13px; }
.note::first-letter { text-transform: uppercase; }

.chart { display: flex; flex-direction: column; }
.plot { position: relative; flex: 1 0 210px; margin: 18px 8px 42px 48px; touch-action: pan-y; }
.outcome .chart:first-child .plot { flex-basis: 300px; }
.plot svg { position: absolute; width: 100%; height: 100%; overflow: visible; }
.plot path { fill: none; stroke: var(--color); stroke-width: 2.2; stroke-linejoin: round; stroke-linecap: round;
  vector-effect: non-scaling-stroke; }
.plot .grid { stroke: var(--grid); stroke-width: 1; stroke-linecap: butt; }
.plot .faint { stroke-width: 1; opacity: .34; }
.plot .thin { stroke-width: 1.6; }
.plot .dots { stroke-width: 7.5; }
.plot span { position: absolute; color: var(--faint); font-size: 12px; line-height: 1; white-space: nowrap; }
.plot .y { right: 100%; transform: translate(-9px, -50%); }
.plot .x { top: 100%; transform: translate(-50%, 10px); }
.plot .axis { top: 100%; left: 50%; transform: translate(-50%, 28px); }
.cross { position: absolute; top: 0; bottom: 0; width: 1px; background: var(--faint); pointer-events: none; }
.spot { position: absolute; width: 9px; height: 9px; margin: -4.5px; border-radius: 50%; background: var(--color);
  box-shadow: 0 0 0 2px var(--card); pointer-events: none; }
.tip { position: absolute; z-index: 1; top: 6px; padding: 8px 12px; border-radius: 9px; background: var(--tip);
  color: var(--tip-ink); font-size: 12.5px; line-height: 1.5; white-space: nowrap; pointer-events: none;
  box-shadow: 0 6px 22px rgba(0, 0, 0, .2); }
.tip p { display: flex; align-items: center; gap: 7px; }
.tip p:first-child { opacity: .7; }
.tip i { width: 8px; height: 8px; border-radius: 50%; background: var(--color); }
.tip b { margin-left: auto; padding-left: 14px; font-weight: 650; }
.c0 { --color: var(--c0); } .c1 { --color: var(--c1); } .c2 { --color: var(--c2); }
.c3 { --color: var(--c3); } .c4 { --color: var(--c4); } .c5 { --color: var(--c5); }

.part-data { --color: var(--data); } .part-forward { --color: var(--forward); }
.part-backward { --color: var(--backward); } .part-communication { --color: var(--communication); }
.part-optimizer { --color: var(--optimizer); } .part-other { --color: var(--other); } .part-own { --color: var(--own); }
.bars { margin-top: 16px; }
.bars li { display: grid; grid-template-columns: 118px 1fr 76px; align-items: center; gap: 14px; padding: 5px 0; }
.bars svg { width: 100%; height: 24px; border-radius: 6px; }
.bars rect { fill: var(--color); stroke: var(--card); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
.bars .who { font-weight: 550; line-height: 1.3; min-width: 0; overflow-wrap: anywhere; }
.bars .who small { display: block; color: var(--faint); font-weight: 400; font-size: 12px; }
.bars .total { text-align: right; }

.grid.tables { align-items: start; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); }
.card pre { margin-top: 10px; white-space: pre-wrap; overflow-wrap: anywhere; }
h3 { font-size: 15px; font-weight: 650; letter-spacing: -.01em; }
h3 small { margin-left: 6px; font-size: 13px; font-weight: 400; color: var(--faint); letter-spacing: 0; }
table { width: 100%; margin-top: 10px; border-collapse: collapse; }
th, td { padding: 6px 12px 6px 0; text-align: left; vertical-align: top; font-weight: 400; overflow-wrap: anywhere;
  border-top: 1px solid var(--grid); }
th:last-child, td:last-child { padding-right: 0; }
thead th { border: 0; color: var(--faint); font-size: 12px; }
th[scope] { color: var(--soft); width: 34%; }
.settings td { width: 28%; }
.settings .source { color: var(--faint); }
.changed td { font-weight: 600; }
.changed th[scope] { color: var(--ink); }
.changed .source { color: var(--c0); font-weight: 400; }
footer { display: flex; align-items: center; gap: 9px; margin-top: 40px; color: var(--faint); font-size: 13px; }
footer .logo { stroke: var(--faint); }

@media (max-width: 720px) {
  main { padding: 26px 16px 24px; }
  .card { padding: 16px; }
  .grid { grid-template-columns: minmax(0, 1fr); }
  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 10px; }
  .tiles .card { padding: 12px 14px; }
  .tiles .card:last-child:nth-child(odd) { grid-column: 1 / -1; }
  dd { font-size: 22px; }
  dd small { font-size: 14px; }
  .outcome .chart:first-child .plot { flex-basis: 230px; }
  .plot .second { display: none; }
  tr { display: grid; grid-template-columns: 42% 1fr; border-top: 1px solid var(--grid); }
  th[scope], .settings td, td { width: auto; border: 0; }
  thead, .settings .source { display: none; }
  .settings .changed .source { display: block; grid-column: 2; padding-top: 0; }
  .bars li { grid-template-columns: 1fr auto; gap: 2px 10px; }
  .bars svg { grid-row: 2; grid-column: 1 / -1; height: 18px; }
  .bars .who small { display: inline; margin-left: 7px; }
}
@media print {
  body { background: none; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .card { break-inside: avoid; }
}
)css";
}

}  // namespace lockstep
