//! The sentences of the rules for people, each with a code: one table, from which the English texts
//! come and by which hosts find code and parameters of a text again. Texts of games that are
//! plugged in need not be in it.

/// A row of a table of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageInfo {
    /// The code, in snake case; upper case for a message without parameters.
    pub code: &'static str,
    /// The English text, with parameters in braces.
    pub template: &'static str,
}

/// Declares the messages of a module: a constant for each text without parameters, a function for
/// each text with parameters, and the table `MESSAGES` of both.
///
/// ```
/// sandboard_games::messages! {
///     words { BOARD_FULL = "board full"; }
///     sentences { no_piece(point) = "there is no piece on {point}"; }
/// }
/// assert_eq!(no_piece("e4"), "there is no piece on e4");
/// assert_eq!(MESSAGES.len(), 2);
/// ```
#[macro_export]
macro_rules! messages {
    (
        words { $($word:ident = $text:literal;)* }
        sentences { $($name:ident($($param:ident),+) = $template:literal;)* }
    ) => {
        /// The messages of this module.
        pub const MESSAGES: &[$crate::messages::MessageInfo] = &[
            $($crate::messages::MessageInfo { code: stringify!($word), template: $text },)*
            $($crate::messages::MessageInfo { code: stringify!($name), template: $template },)*
        ];
        $(#[doc = concat!("“", $text, "”")] pub const $word: &str = $text;)*
        $(
            #[doc = concat!("“", $template, "”")]
            pub fn $name($($param: impl ::std::fmt::Display),+) -> String {
                format!($template)
            }
        )*
    };
}

messages! {
    words {
        // How games end.
        FIVE_IN_A_ROW = "five in a row";
        MORE_THAN_FIVE = "more than five in a row";
        OVERLINE_FOUL = "overline foul";
        DOUBLE_FOUR_FOUL = "double-four foul";
        DOUBLE_THREE_FOUL = "double-three foul";
        BOARD_FULL = "board full";
        TWO_PASSES = "two passes";
        NEITHER_CAN_MOVE = "neither side can move";
        CHECKMATE = "checkmate";
        STALEMATE = "stalemate";
        THIRD_OCCURRENCE = "third occurrence";
        BOTH_CHECK = "third occurrence, both sides check perpetually";
        BOTH_CHASE = "third occurrence, both sides chase perpetually";
        RED_CHECKS = "red loses: perpetual check";
        RED_CHASES_ROOK = "red loses: perpetual chase of a rook";
        RED_CHASES_HORSE = "red loses: perpetual chase of a horse";
        RED_CHASES_CANNON = "red loses: perpetual chase of a cannon";
        RED_CHASES_ELEPHANT = "red loses: perpetual chase of an elephant";
        RED_CHASES_ADVISOR = "red loses: perpetual chase of an advisor";
        RED_CHASES_PAWN = "red loses: perpetual chase of a pawn";
        BLACK_CHECKS = "black loses: perpetual check";
        BLACK_CHASES_ROOK = "black loses: perpetual chase of a rook";
        BLACK_CHASES_HORSE = "black loses: perpetual chase of a horse";
        BLACK_CHASES_CANNON = "black loses: perpetual chase of a cannon";
        BLACK_CHASES_ELEPHANT = "black loses: perpetual chase of an elephant";
        BLACK_CHASES_ADVISOR = "black loses: perpetual chase of an advisor";
        BLACK_CHASES_PAWN = "black loses: perpetual chase of a pawn";
        WITHOUT_CAPTURE = "120 plies without a capture";
        INSUFFICIENT_MATERIAL = "insufficient material";
        ALL_TRICKS = "all tricks are played";
        NS_BELOW_PERFECT = "NS took fewer tricks than with perfect play";
        NS_AS_PERFECT = "NS took as many tricks as with perfect play";
        NS_ABOVE_PERFECT = "NS took more tricks than with perfect play";
        NS_MORE_TRICKS = "NS took more tricks";
        EW_MORE_TRICKS = "EW took more tricks";
        EQUAL_TRICKS = "both sides took equally many tricks";
        // Why moves are refused.
        GAME_OVER = "the game is over";
        NOTHING_TO_DECIDE = "there is nothing to decide; place a stone";
        CHOOSE_SWAP_OR_KEEP = "choose swap or keep";
        KINGS_WOULD_FACE = "the kings would face each other";
        NO_MOVE_OF_THIS_NAME = "no legal move has this name";
        XIANGQI_MOVE_FORM = "a move is two points, each a file a to i and a rank 0 to 9, like h2e2";
        CARD_FORM = "a move is a card: its suit S, H, D or C, then its rank A, K, Q, J, T or 9 to 2, like SJ";
    }
    sentences {
        game_is_over(rule) = "the game is over: {rule}";
        stone_on_point(color, point) = "a {color} stone is on {point}";
        disc_on_square(color, point) = "a {color} disc is on {point}";
        flips_nothing(point) = "a disc on {point} would flip nothing";
        must_pass(color) = "{color} cannot place a disc and must pass";
        must_not_pass(color) = "{color} can place a disc and must not pass";
        no_pass_in(variant) = "passing is not allowed in {variant}";
        already_offered(point) = "{point} is already offered";
        equivalent_offer(point) = "by symmetry it is equivalent to {point}, which is already offered";
        place_stone(color) = "place a {color} stone";
        place_first_stone(point) = "place the first stone on {point}";
        place_stone_within(color, low, high) = "place a {color} stone from {low} to {high}";
        choose_swap_keep_or(third) = "choose swap, keep or {third}";
        announce_fifths(most) = "announce fifths-1 to fifths-{most}";
        offer_point(number, count) = "offer point {number} of {count} for the fifth stone";
        pick_offer(points) = "pick one of the offered points: {points}";
        no_piece(point) = "there is no piece on {point}";
        piece_of_other(piece, point, color) = "the {piece} on {point} is {color}'s";
        own_piece(piece, point) = "the mover's own {piece} is on {point}";
        piece_cannot_move(piece, from, to) = "a {piece} cannot move from {from} to {to}";
        still_in_check(color) = "{color} would still be in check";
        would_be_in_check(color) = "{color} would be in check";
        ambiguous_move(one, other) = "it is ambiguous: {one} or {other}";
        must_follow_suit(seat, suit) = "{seat} has {suit} and must follow suit";
        card_of_other(seat, card, holder) = "{seat} is to play, but {card} is {holder}'s";
        card_in_no_hand(card) = "{card} is in no hand";
        // Move texts that cannot be read.
        move_is_empty(form) = "it is empty; {form}";
        not_a_move(form) = "it is not a move; {form}";
        not_four_characters(form) = "it does not have four characters; {form}";
        no_column_letter(form) = "it does not start with a column letter; {form}";
        no_row_number(form) = "the column letter is not followed by a row number; {form}";
        no_such_column(letter, last) = "there is no column {letter}; the columns are a to {last}";
        no_such_file(letter) = "there is no file {letter}; the files are a to i";
        row_missing(size) = "the row is missing; the rows are 1 to {size}";
        row_not_a_number(size) = "the text after the column is not a number; the rows are 1 to {size}";
        row_starts_with_zero(size) = "the row starts with 0; the rows are 1 to {size}";
        no_such_row(size) = "there is no such row; the rows are 1 to {size}";
        no_row(row, size) = "there is no row {row}; the rows are 1 to {size}";
        point_form(last, size, example) = "a point is a column a to {last} and a row 1 to {size}, like {example}";
        disc_form(last, size) = "a move is pass or a column a to {last} and a row 1 to {size}, like b3";
        no_suit_letter(form) = "it does not start with a suit letter; {form}";
        rank_missing(form) = "the rank is missing; {form}";
        no_rank_letter(form) = "the suit is not followed by a rank letter; {form}";
        text_after_card(form) = "unexpected text after suit and rank; {form}";
    }
}
