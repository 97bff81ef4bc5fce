#!/usr/bin/env bash
# convert, inspect, order and clean as a user runs them: what they print, write and refuse.
# usage: matter_words.sh TORQUETUM-MATTER
set -euo pipefail
matter=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() { printf 'matter_words: %s\n' "$*" >&2 && exit 1; }
says() { # says TEXT COMMAND…: it succeeds, and its output holds TEXT
  local text=$1 output
  shift
  output=$("$@" 2>&1) || fail "$* failed: $output"
  [[ $output == *"$text"* ]] || fail "$* does not say '$text': $output"
}
refuses() { # refuses TEXT COMMAND…: exit 1, and the message holds TEXT
  local text=$1 output status=0
  shift
  output=$("$@" 2>&1) || status=$?
  [ "$status" = 1 ] || fail "$* ended with $status: $output"
  [[ $output == *"$text"* ]] || fail "$* does not say '$text': $output"
}

cat >half.cif <<'EOT'
data_half
_cell_length_a 4.6
_cell_length_b 5.0
_cell_length_c 4.6
_cell_angle_alpha 90
_cell_angle_beta 90
_cell_angle_gamma 90
loop_
_symmetry_equiv_pos_as_xyz
'x,y,z'
'x,y+1/2,z+1/2'
'x+1/2,y,z+1/2'
'x+1/2,y+1/2,z'
loop_
_atom_site_label
_atom_site_type_symbol
_atom_site_fract_x
_atom_site_fract_y
_atom_site_fract_z
_atom_site_occupancy
Li1 Li 0 0 0 1
Na1 Na 0.5 0.5 0.5 0.5
Na2 Na 0.25 0.25 0.25 0.5
O1 O 0.75 0.75 0.75 1
EOT
says 'Li' "$matter" inspect half.cif
says '"disordered_frames": 1' "$matter" inspect half.cif --json
refuses 'the structure is disordered' "$matter" convert half.cif POSCAR
[ ! -e POSCAR ] || fail "a refused file was left behind"
says 'supercell   1 x 1 x 1' "$matter" order half.cif cells.xyz --keep 2
says '"already_ordered": true' "$matter" order cells.xyz --json
says '1 of 2 frames read are written to POSCAR, as poscar' "$matter" convert cells.xyz POSCAR --frame last
says 'left out: notes of 1 frames' "$matter" convert cells.xyz atom.config --frame 2
refuses 'the form poscar holds one structure, and there are more' "$matter" convert cells.xyz POSCAR
refuses 'there is no frame 9' "$matter" convert cells.xyz POSCAR --frame 9
refuses 'zero is no frame' "$matter" convert cells.xyz POSCAR --frame zero
refuses 'Qq, which is no element' "$matter" convert cells.xyz POSCAR --types Qq
refuses "the file's name does not tell its form" "$matter" convert cells.xyz out.unknown
refuses 'Fe is no oxidation state' "$matter" order half.cif --oxidation Fe
refuses 'no usual oxidation states make the composition neutral' "$matter" order half.cif --oxidation O=-1

# Two frames, the first once more, then one with two atoms on one place.
"$matter" convert cells.xyz first.xyz --frame 1 >/dev/null
{ cat cells.xyz first.xyz && sed 's/^O [^ ]* [^ ]* [^ ]*/O 0 0 0.3/' first.xyz; } >all.xyz
says 'set aside' "$matter" clean all.xyz -o checked
for file in kept.xyz set-aside.xyz report.json report.html; do [ -s "checked/$file" ] || fail "checked/$file is missing"; done
says '"duplicate": 1' "$matter" clean all.xyz -o checked --json
grep -q 'the same crystal as frame 1' checked/set-aside.xyz || fail "the duplicate is not marked"
refuses "can't open the file" "$matter" clean absent.xyz -o checked
