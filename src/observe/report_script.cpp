// The script of the report: shows the values under the pointer. All its data is embedded as JSON next to each chart.

#include "observe/report_assets.h"

namespace lockstep {

std::string_view report_script() {
  return R"js('use strict';

const grouped = (number) => number.toString().replace(/\B(?=(\d{3})+$)/g, ',');

// As value_text() writes them.
function valueText(value) {
  const size = Math.abs(value);
  if (size < 1e6 && (size >= 1000 || Number.isInteger(value))) return grouped(Math.round(value));
  if (size < 1e-4 || size >= 1e6) return String(Number(value.toPrecision(3)));
  return value.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : 4);
}

function element(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// The place in a sorted list that is nearest to a number.
function nearest(sorted, wanted) {
  let low = 0;
  let high = sorted.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < wanted) low = middle; else high = middle;
  }
  return wanted - sorted[low] <= sorted[high] - wanted ? low : high;
}

function place(value, [low, high], isLogarithmic) {
  const scaled = isLogarithmic ? Math.log : Number;
  return (scaled(value) - scaled(low)) / (scaled(high) - scaled(low));
}

// The points to show at a step: the nearest of each curve, unless it is far away.
function pointsAt(chart, step) {
  const reach = (chart.steps[1] - chart.steps[0]) / 50;
  const found = [];
  for (const curve of chart.curves) {
    if (curve.x.length === 0) continue;
    const at = nearest(curve.x, step);
    found.push({curve, step: curve.x[at], epoch: curve.epoch[at], value: curve.y[at]});
  }
  if (found.length === 0) return found;
  const closest = Math.min(...found.map((point) => Math.abs(point.step - step)));
  return found.filter((point) => Math.abs(point.step - step) <= Math.max(reach, closest));
}

function tip(chart, points, left) {
  const box = element('div', 'tip');
  const head = points[0];
  box.append(element('p', '', `step ${grouped(head.step)} · epoch ${head.epoch}`));
  for (const point of points) {
    const line = element('p', point.curve.color);
    line.append(element('i', ''), point.curve.name, element('b', '', `${valueText(point.value)} ${chart.unit}`.trim()));
    box.append(line);
  }
  if (left > 0.5) box.style.right = `calc(${100 - 100 * left}% + 12px)`;
  else box.style.left = `calc(${100 * left}% + 12px)`;
  return box;
}

function attach(figure) {
  const data = figure.querySelector('script');
  if (!data) return;
  const chart = JSON.parse(data.textContent);
  const plot = figure.querySelector('.plot');
  const shown = document.createElement('div');
  plot.append(shown);
  const show = (event) => {
    const area = plot.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - area.left) / area.width));
    const points = pointsAt(chart, chart.steps[0] + share * (chart.steps[1] - chart.steps[0]));
    if (points.length === 0) return;
    const left = place(points[0].step, chart.steps, false);
    const cross = element('div', 'cross');
    cross.style.left = `${100 * left}%`;
    shown.replaceChildren(cross, tip(chart, points, left));
    for (const point of points) {
      const spot = element('div', `spot ${point.curve.color}`);
      spot.style.left = `${100 * place(point.step, chart.steps, false)}%`;
      spot.style.top = `${100 - 100 * place(point.value, chart.values, chart.log)}%`;
      shown.append(spot);
    }
  };
  plot.addEventListener('pointermove', show);
  plot.addEventListener('pointerdown', show);
  plot.addEventListener('pointerleave', () => shown.replaceChildren());
}

document.querySelectorAll('figure.chart').forEach(attach);
document.documentElement.dataset.readout = 'ready';
)js";
}

}  // namespace lockstep
