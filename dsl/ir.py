"""The intermediate form: one typed, closed transition system for one game, its options and number of players.

Play, compilation and proof all start from `Game`. Everybody says `from dsl import ir` and `ir.Game`; what the names
mean is told in the modules they come from, of which each knows only those before it: `ir_types`, `ir_cards`,
`ir_expressions`, `ir_graph`, `ir_game`.
"""

from dsl.ir_cards import (
    Compare,
    Deck,
    Group,
    Key,
    Kind,
    Pattern,
    PatternCondition,
    Runs,
)
from dsl.ir_expressions import (
    AllOfZone,
    AsExpr,
    Before,
    BestExpr,
    Binary,
    BinaryExpr,
    Binder,
    CallExpr,
    ColumnExpr,
    Const,
    Expr,
    ExtremeExpr,
    FoldExpr,
    FoldOp,
    IfExpr,
    Local,
    MakeCombination,
    NumPlayers,
    PickCards,
    SplitExpr,
    TableExpr,
    Tie,
    TimeLeft,
    Unary,
    UnaryExpr,
    Var,
    ZoneExpr,
)
from dsl.ir_game import (
    Clock,
    Event,
    Followed,
    Function,
    Game,
    Property,
    Result,
    StateVar,
    Table,
    Zone,
)
from dsl.ir_graph import (
    Action,
    Announce,
    Assign,
    Branch,
    Collect,
    Cut,
    Deal,
    Decide,
    Finish,
    Forget,
    Gather,
    Guard,
    Mark,
    Move,
    Node,
    Origin,
    Param,
    Random,
    Resume,
    Reveal,
    Shuffle,
)
from dsl.ir_types import (
    BoolType,
    CardsType,
    CardType,
    Combination,
    CombinationsType,
    CombinationType,
    Domain,
    EnumType,
    FractionType,
    IntType,
    KindType,
    OptionalType,
    PlayerType,
    RankType,
    SuitType,
    Type,
    Value,
)

# Module by module.
__all__ = [  # noqa: RUF022
    # ir_types
    "BoolType", "CardType", "CardsType", "Combination", "CombinationType", "CombinationsType", "Domain", "EnumType",
    "FractionType", "IntType", "KindType", "OptionalType", "PlayerType", "RankType", "SuitType", "Type", "Value",
    # ir_cards
    "Compare", "Deck", "Group", "Key", "Kind", "Pattern", "PatternCondition", "Runs",
    # ir_expressions
    "AllOfZone", "AsExpr", "Before", "BestExpr", "Binary", "BinaryExpr", "Binder", "CallExpr", "ColumnExpr",
    "Const", "Expr", "ExtremeExpr", "FoldExpr", "FoldOp", "IfExpr", "Local", "MakeCombination", "NumPlayers",
    "PickCards", "SplitExpr", "TableExpr", "Tie", "TimeLeft", "Unary", "UnaryExpr", "Var", "ZoneExpr",
    # ir_graph
    "Action", "Announce", "Assign", "Branch", "Collect", "Cut", "Deal", "Decide", "Finish", "Forget", "Gather",
    "Guard", "Mark", "Move", "Node", "Origin", "Param", "Random", "Resume", "Reveal", "Shuffle",
    # ir_game
    "Clock", "Event", "Followed", "Function", "Game", "Property", "Result", "StateVar", "Table", "Zone",
]  # fmt: skip
