// AssemblyScript cannot export a function under a name with signs in it: this gives each call of the border its own,
// and takes every other export away.
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
