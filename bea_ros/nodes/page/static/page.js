/* Copyright 2026 the bea_ros authors
   SPDX-License-Identifier: Apache-2.0
   The connection to the page's node, and what is shown of what it says. */
"use strict";
(() => {
  const { byId, make, number, known } = look;
  const SILENT = 1500, AGAIN = 1000, PATIENCE = 5000; // ms without a scene; until the next attempt; for one
  const SILENT_NODE = 3; // s without what a node says every second
  const TRIES = { repertoire: "from simulation", initial: "random samples", bayesian: "a model chooses",
                  evolutionary: "the best evolve" };
  const token = location.hash.slice(1);
  let acting = false, unit = "", rows = [], learner = null, arena = null;
  let socket = null, began = 0, heard = performance.now(), lost = false, picture = null, rails = new Map();
  const fitness = charts.fitness(byId("fitness"), () => unit);
  const gain = charts.gain(byId("gain"), () => unit);

  function connect() {
    const one = new WebSocket(`ws${location.protocol === "https:" ? "s" : ""}://${location.host}/live`);
    socket = one;
    began = performance.now();
    one.binaryType = "blob";
    one.onopen = () => one.send(JSON.stringify({ token }));
    one.onmessage = ({ data }) => {
      if (one !== socket) return;
      if (typeof data === "string") told(JSON.parse(data)); else showPicture(data);
    };
    one.onclose = ({ code }) => {
      if (one !== socket) return;
      if (code === 4403) return lose("the token of this address is wrong: was the run started again? Take the address that it printed");
      if (code === 4429) lose("too many look at this page");
      if (code === 1001) lose(isOver() ? "" : "the page's node has ended: see the terminal. The same command resumes a run");
      setTimeout(connect, AGAIN);
    };
  }

  /** Leave a connection over which nothing comes: its end may be minutes away. */
  function connectAnew() {
    const old = socket;
    socket = null;
    old.close();
    connect();
  }

  function sendTo(open) {
    return (message) => {
      if (open.readyState !== WebSocket.OPEN || open.bufferedAmount > 4096) return false;
      open.send(JSON.stringify(message));
      return true;
    };
  }

  function told(message) {
    heard = performance.now();
    if (message.about) return introduce(message.about, message.acting);
    if (lost) found();
    if (message.answer) return operator.answered(message.answer);
    socket.send('"next"');
    showNow(message.now, message);
    if (message.rows) showRows(message.rows);
  }

  function introduce(it, may) {
    acting = may;
    rows = [];
    document.title = `${it.robot} learns`;
    operator.introduce(it, acting);
    found();
    arena = new look.Arena(byId("arena"), it.arena, it.outline);
    set("grid", `squares of ${arena.square} m`);
    rails = new Map(it.joints.map((joint) => [joint[0], new Rail(joint)]));
    byId("joints").replaceChildren(...[...rails.values()].map((rail) => rail.place));
  }

  function found() {
    lost = false;
    byId("lost").hidden = true;
    byId("link").textContent = acting ? "connected" : "connected, looking only";
    if (!learner) showState("no learner yet", "");
    operator.connect(sendTo(socket));
  }

  const isOver = () => learner && ["finished", "stopped"].includes(learner.state);

  function lose(why) {
    const over = !why && isOver();
    if (lost && !why) return;
    lost = true;
    operator.lose(over);
    byId("link").textContent = "not connected";
    if (!over) byId("state").dataset.state = "lost";
    byId("lost").classList.toggle("calm", over);
    byId("lost").textContent = over
      ? `The run has ended (${learner.state}), and this page with it. ${learner.state === "finished"
        ? "Its report.html is in the run's folder." : "The same command resumes it."}`
      : `CONNECTION LOST: ${why || "nothing comes from the robot"}. What is shown is old, and no button works.`;
    byId("lost").hidden = false;
  }

  setInterval(() => {
    const now = performance.now();
    if (!lost && now - heard > SILENT) lose("");
    if (lost && socket.readyState <= WebSocket.OPEN && now - Math.max(heard, began) > PATIENCE) connectAnew();
  }, 250);

  /** The angle that a joint is commanded, between its limits (rad). */
  class Rail {
    constructor([name, lower, upper]) {
      this.reach = Math.max(-lower, upper);
      this.bar = make("i");
      this.angle = make("span", { class: "angle" }, "–");
      this.place = make("div", { class: "joint" }, make("span", {}, name),
        make("span", { class: "rail" }, this.bar), this.angle);
    }

    show(angle) {
      const share = Math.max(-1, Math.min(1, angle / this.reach));
      this.bar.style.transform = `scaleX(${share})`;
      this.angle.textContent = `${Math.round((angle * 180) / Math.PI)}°`;
    }
  }

  /** Parts that say the same stay, lest a screen reader says them again and again. */
  function set(id, ...parts) {
    const text = parts.map((part) => part.textContent ?? part).join("");
    if (byId(id).textContent !== text) byId(id).replaceChildren(...parts);
  }

  const small = (text) => make("small", {}, text);

  function showNow(now, { path, best }) {
    const since = (age) => `silent since ${look.timeOfDay(now.at - age)}`;
    if (now.learner) showLearner(now.learner, since(now.learner.age));
    operator.showStop(operator.pending() ? { state: "unsent" } : now.stop);
    arena.show(now.seen !== null && now.seen < 3 ? now.pose : null, path, best);
    for (const [name, angle] of Object.entries(now.joints)) if (rails.has(name)) rails.get(name).show(angle);
    const [evaluation, attempt] = now.trying || [];
    set("trying", !evaluation ? "none: the robot stands still"
      : `evaluation ${evaluation}${attempt > 1 ? `, attempt ${attempt}` : ""}`);
    const { servos, tracking } = now;
    if (!tracking) level("tracking", 0, "not reported");
    else if (tracking.age > SILENT_NODE) level("tracking", 2, since(tracking.age));
    else level("tracking", tracking.level, tracking.text);
    if (!servos) level("servos", 2, "no servo driver");
    else if (servos.age > SILENT_NODE) level("servos", 2, since(servos.age));
    else level("servos", servos.level, servos.reason ? `${servos.state}: ${servos.reason}` : servos.state);
    set("battery", batteryText(now.battery));
  }

  function batteryText(battery) {
    if (!battery) return "not reported";
    const parts = [];
    if (battery.voltage !== null) parts.push(`${number(battery.voltage, 2)} V`);
    if (battery.charge !== null) parts.push(`${number(100 * battery.charge, 0)} %`);
    return parts.join(", ") || "not reported";
  }

  function level(id, value, text) {
    set(id, text);
    byId(id).className = `level-${value}`;
  }

  function showState(text, state) {
    set("state", text);
    byId("state").dataset.state = state;
  }

  function showLearner(it, since) {
    const other = unit !== it.unit;
    learner = it;
    unit = it.unit;
    if (other) { fitness.rebuild(); gain.rebuild(); look.stageTable(byId("stages"), rows, unit); }
    set("title", `${it.robot}: ${it.task.replaceAll("_", " ")}`);
    const silent = it.age > SILENT_NODE;
    showState(silent ? `learner ${since}` : it.state, silent ? "stopped" : it.state);
    byId("waiting").hidden = !it.message || silent;
    set("waiting", `${it.state}: ${byButtons(it.message)}`);
    set("evaluation", `${it.done} `, small(`of ${it.budget}`));
    byId("progress").max = Math.max(it.budget, 1);
    byId("progress").value = it.done;
    set("best", `${number(it.best)} `, small(it.unit), ...(it.measured > 1
      ? [make("br"), small(`mean of ${it.measured}, ± ${Number(it.spread).toFixed(4)}`)] : []));
    set("left", ...inWords(it.state === "finished" ? 0 : it.left));
    set("stage", make("span", { class: `stage stage-${known(it.stage)}` }, it.stage || "–"), " ",
      small(TRIES[it.stage] || ""));
  }

  /** What a message tells to do by commands, the page's buttons do. */
  const byButtons = (message) => message.replace(/to arm: (first )?.*$/s, (_, first) =>
    `to arm: hold ${first ? "Disarm, then " : ""}Arm`);

  /** A time (s), with its units. */
  function inWords(seconds) {
    if (seconds === null || !isFinite(seconds)) return ["–"];
    const minutes = Math.round(seconds / 60), hours = Math.floor(minutes / 60);
    if (seconds < 90) return [`${Math.round(seconds)} `, small("s")];
    if (!hours) return [`${minutes} `, small("min")];
    return [`${hours} `, small("h"), ` ${minutes % 60} `, small("min")];
  }

  function showRows({ from, rows: more }) {
    rows.splice(from, rows.length, ...more.map(([n, stage, value, overhead, onRobot, gained, givenUp]) =>
      ({ number: n, stage, fitness: value, overhead, onRobot, gain: gained, givenUp })));
    const latest = rows[rows.length - 1];
    set("last", latest ? `${number(latest.fitness)} ` : "–", small(latest ? unit : ""));
    fitness.show(rows);
    gain.show(rows);
    look.stageTable(byId("stages"), rows, unit);
  }

  function showPicture(blob) {
    heard = performance.now();
    const before = picture;
    picture = URL.createObjectURL(blob);
    byId("camera").src = picture;
    byId("camera").hidden = false;
    byId("no-camera").hidden = true;
    if (before) URL.revokeObjectURL(before);
  }

  operator.attach();
  connect();
})();
