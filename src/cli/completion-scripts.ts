/** What shells know about the command line: scripts made from the descriptions of the commands. Pure. */
import { OPTION_NAMES } from '../config/config.js';
import { type CommandSpec, DIR_OPERAND, type FlagSpec, flagsOf } from './arguments.js';

export type Shell = 'bash' | 'zsh' | 'fish';
type Commands = readonly CommandSpec[];

/** The script of each shell. */
export const SHELLS: Readonly<Record<Shell, (commands: Commands) => string>> = { bash, zsh, fish };

/** What may stand in a place: one of some words, a folder, a file, or something that nobody can guess. */
type Values = readonly string[] | 'folders' | 'files' | 'unknown';

function valuesOf({ value = '' }: FlagSpec): Values {
  const words = value.split('|');
  if (words[0] === 'DIR') return 'folders';
  if (words[0] === 'FILE' || words[0] === 'PATH') return 'files';
  const fixed = words.filter((word) => /^[a-z0-9.+-]+$/.test(word));
  return fixed.length > 0 ? fixed : 'unknown';
}

function operandsOf({ operands }: CommandSpec): Values {
  const [first = ''] = operands.split(' ');
  if (/^[a-z]+(?:\|[a-z]+)+$/.test(first)) return first.split('|');
  if (first === '[option...]') return OPTION_NAMES;
  if (first === DIR_OPERAND) return 'folders';
  return first === 'WARC...' ? 'files' : 'unknown';
}

const flags = (spec: CommandSpec): FlagSpec[] => [...flagsOf(spec).values()];

/** Its first sentence, without the end of it. */
const short = (says: string): string => says.split(/[.;:](?:\s|$)/, 1)[0];

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

// -- bash ---------------------------------------------------------------------------------------------------------------

function bash(commands: Commands): string {
  const names = commands.map(({ name }) => name).join(' ');
  return `# Completion of saunter for bash: eval "$(saunter completion bash)"
_saunter_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }
_saunter_files() { compopt -o filenames; mapfile -t COMPREPLY < <(compgen "$1" -- "$cur"); }
_saunter() {
  local cur=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]}
  COMPREPLY=()
  # --flag=value is three words here
  if [[ $cur == = ]]; then cur=
  elif [[ $before == = ]]; then before=\${COMP_WORDS[COMP_CWORD-2]}; fi
  if (( COMP_CWORD == 1 )); then _saunter_words ${quoted(`${names} help --help --version`)}; return; fi
  case $command in
${commands.map(bashCommand).join('\n')}
    help) _saunter_words ${quoted(names)} ;;
  esac
}
complete -F _saunter saunter`;
}

function bashCommand(spec: CommandSpec): string {
  const valued = flags(spec).filter(({ value }) => value !== undefined);
  const cases = valued.map((flag) => `        --${flag.name}) ${bashValues(valuesOf(flag))}; return ;;`);
  const names = flags(spec).map(({ name }) => `--${name}`).join(' '); // biome-ignore format: short
  const lines = [
    `    ${spec.name})`,
    ...(cases.length > 0 ? ['      case $before in', ...cases, '      esac'] : []),
    `      if [[ $cur == -* ]]; then _saunter_words ${quoted(names)}; else ${bashValues(operandsOf(spec))}; fi ;;`,
  ];
  return lines.join('\n');
}

function bashValues(values: Values): string {
  if (values === 'unknown') return ':';
  if (values === 'folders') return '_saunter_files -d';
  return values === 'files' ? '_saunter_files -f' : `_saunter_words ${quoted(values.join(' '))}`;
}

// -- zsh ----------------------------------------------------------------------------------------------------------------

function zsh(commands: Commands): string {
  const described = commands.map(({ name, says }) => `    ${quoted(`${name}:${colons(short(says))}`)}`);
  return `#compdef saunter
# Completion of saunter for zsh: a file _saunter in a folder of $fpath
_saunter() {
  local -a commands
  commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  local command=$words[2]
  shift words; (( CURRENT-- ))
  case $command in
${commands.map(zshCommand).join('\n')}
    help) _describe command commands ;;
  esac
}
if [[ $funcstack[1] == _saunter ]]; then _saunter "$@"; else compdef _saunter saunter; fi`;
}

function zshCommand(spec: CommandSpec): string {
  const operands = operandsOf(spec);
  const parts = [
    ...flags(spec).map(zshFlag),
    ...(operands === 'unknown' ? [] : [quoted(`*:${spec.operands.replace(/[^a-z]+/gi, ' ').trim()}:${zshValues(operands)}`)]), // biome-ignore format: short
  ];
  return [`    ${spec.name})`, `      _arguments -s \\`, `        ${parts.join(' \\\n        ')} ;;`].join('\n');
}

function zshFlag(flag: FlagSpec): string {
  const { name, value, repeats, says } = flag;
  const text = `[${colons(short(says)).replace(/[[\]]/g, '\\$&')}]`;
  const taken = value === undefined ? '' : `:${colons(value)}:${zshValues(valuesOf(flag))}`;
  return quoted(`${repeats ? '*' : ''}--${name}${value === undefined ? '' : '='}${text}${taken}`);
}

function zshValues(values: Values): string {
  if (values === 'unknown') return ' ';
  if (values === 'folders') return '_files -/';
  return values === 'files' ? '_files' : `(${values.join(' ')})`;
}

const colons = (text: string): string => text.replaceAll(':', '\\:');

// -- fish ---------------------------------------------------------------------------------------------------------------

function fish(commands: Commands): string {
  const names = commands.map(({ name }) => name).join(' ');
  return [
    '# Completion of saunter for fish: a file saunter.fish in ~/.config/fish/completions',
    'complete -c saunter -f',
    'complete -c saunter -n __fish_use_subcommand -l help -d "Show the commands"',
    'complete -c saunter -n __fish_use_subcommand -l version -d "Show the version"',
    `complete -c saunter -n "__fish_seen_subcommand_from help" -a ${quoted(names)}`,
    ...commands.flatMap(fishCommand),
  ].join('\n');
}

function fishCommand(spec: CommandSpec): string[] {
  const inside = `complete -c saunter -n "__fish_seen_subcommand_from ${spec.name}"`;
  const operands = operandsOf(spec);
  return [
    `complete -c saunter -n __fish_use_subcommand -a ${spec.name} -d ${fishText(short(spec.says))}`,
    ...(operands === 'unknown' ? [] : [`${inside} ${fishValues(operands, '')}`]),
    ...flags(spec).map((flag) => {
      const values = flag.value === undefined ? '' : ` ${fishValues(valuesOf(flag), '-r')}`;
      return `${inside} -l ${flag.name} -d ${fishText(short(flag.says))}${values}`;
    }),
  ];
}

function fishValues(values: Values, needed: string): string {
  if (values === 'unknown') return '-x';
  if (values === 'folders') return '-x -a "(__fish_complete_directories)"';
  return values === 'files' ? `${needed} -F`.trim() : `-x -a ${fishText(values.join(' '))}`;
}

const fishText = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;
