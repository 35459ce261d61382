/* Copyright 2026 the bea_ros authors
   SPDX-License-Identifier: Apache-2.0
   The operator's buttons, and what became of a STOP. */
"use strict";
const operator = (() => {
  const { byId, timeOfDay } = look;
  const HOLD = 1000, AGAIN = 4000; // ms
  const asked = new Map(); // words by number
  let send = () => false, last = 0, acting = false, connected = false, about = null;
  let wanted = false; // whether a STOP was pressed that is not answered yet
  let unsent = false; // whether it could not be sent

  function ask(what, words) {
    last += 1;
    asked.set(last, words);
    say(`${words} …`);
    if (send({ id: last, ask: what })) return;
    asked.delete(last);
    say(`${words}: not sent, there is no connection`, true);
  }

  function say(text, refused = false) {
    byId("answer").textContent = text;
    byId("answer").classList.toggle("refused", refused);
  }

  function answered({ id, done, text }) {
    const words = asked.get(id) || "";
    asked.delete(id);
    if (words === "STOP") wanted = false;
    else say(`${words}: ${text || (done ? "done" : "refused")}`, !done);
  }

  /** What became of these is not known. */
  function missAnswers() {
    const open = [...asked.values()].filter((words) => words !== "STOP");
    if (open.length) say(`${open.join(", ")}: no answer, the connection was lost`, true);
  }

  function stop() {
    last += 1;
    asked.set(last, "STOP");
    wanted = true;
    unsent = !connected || !send({ id: last, ask: "stop" });
    showStop({ state: unsent ? "unsent" : "sent" });
  }

  /** A STOP is the servo driver's word, or, of a simulated robot, the learner's; never our own. */
  function showStop(stopped) {
    const place = byId("stopped");
    const words = {
      none: "",
      sent: "STOP sent, not confirmed yet …",
      confirmed: about && about.simulated
        ? `the simulated robot stands still since ${timeOfDay(stopped.at || 0)}`
        : `stopped at ${timeOfDay(stopped.at || 0)}: ` + (about && about.powered
          ? "the joints stand still, and their motors have power" : "the servos get no pulses"),
      unconfirmed: `STOP IS NOT CONFIRMED: ${stopped.reason}. ${cut()}`,
      unsent: `STOP WAS NOT SENT: no connection. ${cut()} As long as this page is open, `
        + "it sends the STOP when the connection is back.",
    }[stopped.state];
    if (words === undefined || place.textContent === words) return;
    place.textContent = words;
    place.className = stopped.state === "unsent" ? "unconfirmed" : stopped.state;
  }

  /** What stops a real robot if nothing else does. */
  const cut = () => (about && about.simulated ? ""
    : `Cut the power: ${about ? about.switch : "the switch of the servos' power supply"}.`);

  function enable(over = false) {
    for (const button of document.querySelectorAll("button[data-ask]")) {
      button.disabled = !acting || !connected;
    }
    const button = byId("stop");
    const still = over && about && about.simulated;
    button.disabled = !acting || still;
    button.textContent = still ? "the run has ended" : acting ? "STOP" : "looking only: no STOP from here";
  }

  function connect(sender) {
    send = sender;
    connected = true;
    unsent = false;
    if (wanted) stop(); // the connection before may have taken it along
    enable();
  }

  /** Without a connection; `over` if the run has ended. */
  function lose(over) {
    connected = false;
    for (const button of document.querySelectorAll("button[data-ask]")) letGo(button);
    enable(over);
    if (byId("stopped").classList.contains("sent")) {
      showStop({ state: "unconfirmed", reason: "the connection is lost" });
    }
    missAnswers();
  }

  /** A new connection. */
  function introduce(it, may) {
    missAnswers();
    asked.clear();
    about = it;
    acting = may;
    for (const real of document.querySelectorAll("[data-real]")) real.hidden = it.simulated;
    byId("switch").textContent = it.simulated
      ? "A simulated robot: STOP pauses its learner."
      : `This is no replacement for a hardware switch: ${it.switch}.`;
    enable();
  }

  /* Holding: by pointer or key for a second; whoever cannot hold presses twice. */
  const holding = new Map();

  function hold(button) {
    if (holding.has(button) || button.disabled) return;
    button.classList.add("held");
    delete button.dataset.carried; // whether this press has done it
    holding.set(button, setTimeout(() => { letGo(button); carryOut(button); }, HOLD));
  }

  function letGo(button) {
    clearTimeout(holding.get(button));
    holding.delete(button);
    button.classList.remove("held");
  }

  function carryOut(button) {
    button.dataset.carried = "yes";
    ask(button.dataset.ask, button.textContent);
  }

  function pressed(button, event) {
    if (event.detail !== 0) { // a pointer's: it was held, or not for long enough
      if (!button.dataset.carried) say(`${button.textContent}: hold it for a second`);
      return;
    }
    if (event.screenX) return; // a key's, which is held
    if (Date.now() - (button.dataset.pressed || 0) < AGAIN) {
      button.dataset.pressed = 0;
      carryOut(button);
    } else {
      button.dataset.pressed = Date.now();
      say(`${button.textContent}: press again within four seconds to confirm`);
    }
  }

  function attach() {
    for (const button of document.querySelectorAll("button[data-ask]")) {
      if (!("hold" in button.dataset)) {
        button.addEventListener("click", () => ask(button.dataset.ask, button.textContent));
        continue;
      }
      button.setAttribute("aria-description", `${button.title}: hold for a second, or press twice`);
      button.addEventListener("pointerdown", (event) => { if (!event.button) hold(button); });
      for (const end of ["pointerup", "pointerleave", "pointercancel", "blur"]) {
        button.addEventListener(end, () => letGo(button));
      }
      button.addEventListener("contextmenu", (event) => event.preventDefault());
      button.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        if (!event.repeat) hold(button);
      });
      button.addEventListener("keyup", () => letGo(button));
      button.addEventListener("click", (event) => pressed(button, event));
    }
    const button = byId("stop");
    let down = false; // the pointer's press counts, not its release
    button.addEventListener("pointerdown", (event) => {
      if (event.button || button.disabled) return;
      down = true;
      stop();
    });
    button.addEventListener("click", (event) => {
      if (!down || !event.detail) stop(); // a key's click has no detail
      down = false;
    });
  }

  return { attach, connect, lose, introduce, answered, showStop, pending: () => unsent };
})();
