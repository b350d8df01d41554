from ..transform_action import transform_action
from ..transforms.numbers import NUMBERS

numbers = transform_action("numbers", "Numbers", "Calculates with numbers and formats them.", NUMBERS)
