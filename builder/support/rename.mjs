// AssemblyScript cannot export a function under a name with `:`, `/` or `#`. This step of the
// compiler exports each function of the engine interface under its name, and removes every other
// export.
const CALLS = {
  engineDescribe: "describe",
  engineStart: "start",
  enginePlayed: "played",
  engineTakenBack: "taken-back",
  engineChoose: "choose",
  engineThink: "think",
};
const KEPT = new Set(["memory", "cabi_realloc"]);

export default class Rename {
  afterCompile(module) {
    const count = module.getNumExports();
    const all = Array.from({ length: count }, (_, at) => this.binaryen.getExportInfo(module.getExportByIndex(at)));
    for (const { name, value } of all) {
      if (KEPT.has(name)) continue;
      module.removeExport(name);
      if (CALLS[name]) module.addFunctionExport(value, `sandboard:engine/engine@1.0.0#${CALLS[name]}`);
    }
  }
}
