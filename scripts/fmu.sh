#!/usr/bin/env bash
# Lets validators and importers of others at FMUs of Capstan: those that can be installed into build/fmu-env, and those that are given.
# Each says what it found; what cannot be had is named, and is no failure.
# usage: fmu.sh      (FMILIB=PREFIX: where FMI Library is installed; FMUSIM=PROGRAM: fmusim of the Reference FMUs;
#                    VDM3=FOLDER: models of FMI 3.0)
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
env=build/fmu-env
work=build/fmu-validate
tool=${CAPSTAN:-build/capstan}
mkdir -p "$work"
status=0
summary=()
note() { summary+=("$1"); echo "fmu: $1"; }

# ---------------------------------------------------------------- FMUs

for name in block crane hoist; do
  for version in 2 3; do
    "$tool" fmu "test/fmu/$name.yaml" --fmi $version -o "$work/$name$version.fmu" 2>"$work/export.log" || { cat "$work/export.log"; exit 1; }
  done
  rm -rf "${work:?}/$name"
  "$tool" run "test/fmu/$name.yaml" -o "$work/$name" --quiet --no-report || exit 1
done

# ---------------------------------------------------------------- from the Python Package Index

[ -x "$env/bin/python" ] || /usr/bin/env python3 -m venv "$env" || exit 1
for package in fmpy==0.3.32 ecospy==0.7.2 libcosimpy==0.0.6; do
  name=${package%%==*}
  if ! "$env/bin/pip" install --quiet "$package" >"$work/pip.log" 2>&1; then
    note "$package cannot be installed: $(tail -n 1 "$work/pip.log")"
    continue
  fi
  if timeout 600 "$env/bin/python" -B test/fmu/validate.py "$name" "$work" >"$work/$name.log" 2>&1; then
    note "$package: $(tail -n 1 "$work/$name.log")"
  elif grep -q 'libtbb' "$work/$name.log"; then
    note "$package needs the Debian package libtbb12"
  else
    tail -n 20 "$work/$name.log"
    note "$package FAILED"
    status=1
  fi
done

# ---------------------------------------------------------------- formal models of the standards: 2.0 from Maven Central

# vdm VERSION FOLDER: descriptions and terminals against the models in a folder, with the schema there.
vdm() {
  local name
  for name in block crane hoist; do
    (cd "$2" && timeout 600 java -Xmx1g -Dvdmj.parser.merge_comments=true -Dfmureader.noschema=true -Dfmureader.xsd="fmi$1schema/fmi$1.xsd" -cp "$jars/*" \
      com.fujitsu.vdmj.VDMJ -vdmsl -q -annotations -e 'isValidFMIConfigurations(modelDescription, buildDescription, terminalsAndIcons)' \
      "fmi$1-static-model" "$here/$work/$name$1.fmu") >"$work/vdmcheck.log" 2>&1
    grep -qx true "$work/vdmcheck.log" || { tail -n 20 "$work/vdmcheck.log"; return 1; }
  done
}

here=$PWD
jars=$here/$work/vdmcheck
if ! command -v mvn >/dev/null || ! command -v java >/dev/null; then
  note "VDMCheck needs Java and Maven"
elif [ ! -d "$jars/models" ] && ! {
  mkdir -p "$work/maven" "$jars" && cat >"$work/maven/pom.xml" <<'XML' &&
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>capstan</groupId><artifactId>validators</artifactId><version>1</version>
  <dependencies><dependency><groupId>org.into-cps.vdmcheck.fmi2</groupId><artifactId>vdmcheck2</artifactId><version>1.1.3</version></dependency></dependencies>
</project>
XML
    timeout 600 mvn -q -B -f "$work/maven/pom.xml" dependency:copy-dependencies -DoutputDirectory="$jars" >"$work/maven.log" 2>&1 &&
    "$env/bin/python" -m zipfile -e "$jars"/vdmcheck2-*.jar "$jars/models" && "$env/bin/python" -m zipfile -e "$jars"/static-model-*.jar "$jars/models"
}; then
  note "VDMCheck cannot be installed"
elif vdm 2 "$jars/models"; then
  note "VDMCheck 1.1.3: descriptions of FMI 2.0 of three machines are valid"
else
  note "VDMCheck FAILED"
  status=1
fi
# Models of FMI 3.0 are not there as an artifact: a folder with fmi3-static-model and fmi3schema, of the sources of FMI-VDM-Model.
if [ -n "${VDM3:-}" ]; then
  if vdm 3 "$VDM3"; then note "VDMCheck: descriptions and terminals of FMI 3.0 of three machines are valid"; else note "VDMCheck of FMI 3.0 FAILED"; status=1; fi
else
  note "VDMCheck of FMI 3.0: name the folder of its models, VDM3=..., to try it"
fi

# ---------------------------------------------------------------- what is given

# Reads and runs all FMUs with FMI Library.
fmilib() {
  local fmu
  ${CC:-cc} -std=c11 -O1 -I "$FMILIB/include" test/fmu/fmilib.c -o "$work/fmilib" "$FMILIB/lib/libfmilib_shared.so" -Wl,-rpath,"$FMILIB/lib" -lm || return 1
  for fmu in "$work"/*.fmu; do
    rm -rf "$work/unpacked" && mkdir "$work/unpacked"
    timeout 300 "$work/fmilib" "$PWD/$fmu" "$PWD/$work/unpacked" || return 1
  done
}
if [ -z "${FMILIB:-}" ]; then
  note "FMI Library: name its prefix, FMILIB=..., to try it"
elif fmilib; then
  note "FMI Library: reads and runs six FMUs"
else
  note "FMI Library FAILED"
  status=1
fi
if [ -z "${FMUSIM:-}" ]; then
  note "fmusim: name the program, FMUSIM=..., to try it"
elif timeout 600 python3 -B test/fmu/validate.py fmusim "$work" >"$work/fmusim.log" 2>&1; then
  note "fmusim: $(tail -n 1 "$work/fmusim.log")"
else
  tail -n 20 "$work/fmusim.log"
  note "fmusim FAILED"
  status=1
fi
printf '\n'
printf '%s\n' "${summary[@]}"
exit $status
